import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDatabase, createDatabase, type Engine } from './engines.ts'
import { type Measured, type PullFloors, runPullFloors } from './floors/run-floor.ts'
import {
  type BenchHub,
  register,
  runCommand,
  signIn,
  startHubProcess,
  startPull,
  waitForPull,
} from './hub.ts'
import { mainThreadSeconds, peakMemory, startServer } from './processes.ts'
import { median } from './push-load.ts'
import type { DataName } from './records-data.ts'
import { type Goal, heading, report } from './report.ts'

const ROUNDS = 3
/** Of a first pull, as a share of the records per second of its floor. The text index is made at the same time. */
const FIRST_GOALS = {
  small: { SQLite: 0.65, PostgreSQL: 0.5 },
  museum: { SQLite: 0.85, PostgreSQL: 0.5 },
} as const
/** Of the main thread per unchanged record, in microseconds. */
const UNCHANGED_GOAL = 9
/** The time until everything is searchable, as a multiple of the pull's time. */
const SEARCHABLE_GOAL = 1.5
const MEMORY_GOAL = 300
const POLL_MS = 50

type HubPulls = {
  first: Measured
  again: Measured
  index: Measured
  searchable: number
  unchangedMainThread: number
  peak: number
}
type Round = { floor: PullFloors; hub: HubPulls }

/** Pulls one document with many records, twice, and indexes them again, in alternation with the floors of these paths. */
export async function benchPull(engine: Engine, data: DataName, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', [data, String(records)], {})
  try {
    heading(`pull, ${engine}, ${records} ${data} records in one document, ${ROUNDS} rounds`)
    const url = `http://127.0.0.1:${platform.port}/bench-1/api/hub/records/item-1`
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const floor = await runPullFloors(engine, { url, records })
      rounds.push({ floor, hub: await runHub(engine, platform, records) })
    }
    reportRounds({ engine, data, records }, rounds)
  } finally {
    await platform.stop()
  }
}

async function runHub(
  engine: Engine,
  platform: { port: number },
  records: number,
): Promise<HubPulls> {
  const database = await createDatabase(engine)
  const hub = await signIn(await startHubProcess(database), database)
  try {
    await register(hub, platform)
    const { searchable, ...first } = await pull(hub)
    const before = mainThreadSeconds(hub.process.pid)
    const again = await pull(hub)
    const unchangedMainThread = ((mainThreadSeconds(hub.process.pid) - before) / records) * 1e6
    const peak = peakMemory(hub.process.pid)
    const index = await indexAgain(hub, database)
    return { first, again, index, searchable, unchangedMainThread, peak }
  } finally {
    await hub.stop()
  }
}

function reportRounds(
  { engine, data, records }: { engine: Engine; data: DataName; records: number },
  rounds: readonly Round[],
): void {
  const of = (figure: (hub: HubPulls) => number) => median(rounds.map(({ hub }) => figure(hub)))
  const line = { bench: 'pull', engine } as const
  const compare = (path: keyof PullFloors, name: string, goal: Goal | null) => {
    const ratio = (figure: keyof Measured) =>
      median(rounds.map(({ floor, hub }) => floor[path][figure] / hub[path][figure]))
    const seconds = of((hub) => hub[path].seconds)
    const ofFloor = (figure: keyof Measured) =>
      median(rounds.map(({ floor }) => floor[path][figure]))
    report({
      ...{ ...line, name: `${data}, ${name}`, unit: '×', figure: ratio('seconds'), goal },
      measured: `${seconds.toFixed(2)} s, ${Math.round(records / seconds)} records/s`,
      yardstick: `floor ${ofFloor('seconds').toFixed(2)} s, CPU ${((ofFloor('cpuSeconds') / records) * 1e6).toFixed(1)} µs, ${ratio('cpuSeconds').toFixed(2)} × by CPU`,
      cpuMicroseconds: (of((hub) => hub[path].cpuSeconds) / records) * 1e6,
    })
  }
  compare('first', 'first pull', { atLeast: FIRST_GOALS[data][engine] })
  compare('again', 'nothing changed', null)
  compare('index', 'index', null)
  report({
    ...{ ...line, name: `${data}, nothing changed, main thread`, unit: 'µs' },
    figure: of((hub) => hub.unchangedMainThread),
    goal: engine === 'SQLite' ? { atMost: UNCHANGED_GOAL } : null,
  })
  report({
    ...{ ...line, name: `${data}, everything searchable`, unit: '×' },
    figure: median(rounds.map(({ hub }) => hub.searchable / hub.first.seconds)),
    goal: engine === 'SQLite' ? { atMost: SEARCHABLE_GOAL } : null,
    measured: `${of((hub) => hub.searchable).toFixed(2)} s after the start of the pull`,
    yardstick: `the pull ${of((hub) => hub.first.seconds).toFixed(2)} s`,
  })
  report({
    ...{ ...line, name: `${data}, peak memory of the hub`, unit: 'MB' },
    figure: of((hub) => hub.peak),
    goal: { atMost: MEMORY_GOAL },
  })
}

type MeasuredPull = Measured & { searchable: number }

/**
 * Times in seconds: of the pull as the hub reports it, and from its start until the search index has caught up. Its
 * processor time contains the part of the index that was made until the end of the pull.
 */
async function pull(hub: BenchHub): Promise<MeasuredPull> {
  const before = hub.cpuSeconds()
  const { seconds, started_at } = await waitForPull(hub, await startPull(hub))
  const cpuSeconds = hub.cpuSeconds() - before
  await waitUntilSearchable(hub)
  return { seconds, cpuSeconds, searchable: (Date.now() - Date.parse(started_at ?? '')) / 1000 }
}

/** Rebuilds the text index as the command line does. */
async function indexAgain(hub: BenchHub, database: BenchDatabase): Promise<Measured> {
  await runCommand(database, 'search', 'rebuild')
  const [begun, before] = [performance.now(), hub.cpuSeconds()]
  await waitUntilSearchable(hub)
  const seconds = (performance.now() - begun) / 1000
  return { seconds, cpuSeconds: hub.cpuSeconds() - before }
}

export async function waitUntilSearchable(hub: BenchHub): Promise<void> {
  while ((await hub.call('GET', '/api/v1/search/status'))['lag'] !== 0) await sleep(POLL_MS)
}
