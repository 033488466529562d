import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Engine } from './engines.ts'
import { type BenchHub, register, signIn, startHubProcess, startPull, waitForPull } from './hub.ts'
import { currentProgram } from './machine.ts'
import { recordTypes } from './platforms.ts'
import { currentMemory, peakMemory, resetPeakMemory, startServer } from './processes.ts'
import { waitUntilSearchable } from './pull.ts'
import { registerAll } from './pull-platforms.ts'
import { median } from './push-load.ts'
import { heading, report } from './report.ts'

const IDLE_GOALS = { source: 200, package: 150 }
const PLATFORMS = 100
const MODULES = 10
const PEAK_GOAL = 300
const PULLS = 20
/** The memory after the last pulls, as a multiple of that after the fifth. */
const GROWTH_GOAL = 1.05
const IDLE_SECONDS = 10
const EXPORTS = ['ndjson', 'json', 'csv', 'xlsx', 'csv&sort=-updated_at']
const SEARCHES = ['ka', 'object 0001', 'romin telva', 'nowhere', '0005', 'broak tal']
const SEARCH_ROUNDS = 10

/** The memory of an idle hub, and its peaks in pulls, exports and searches. */
export async function benchMemory(engine: Engine, records: number): Promise<void> {
  const database = await createDatabase(engine)
  const server = await startServer('./platforms-server.ts', [String(MODULES)], {})
  const first = await signIn(await startHubProcess(database), database)
  await registerAll(first, server.port, PLATFORMS, MODULES)
  await first.process.stop()
  const started = await startHubProcess(database)
  const platform = await startServer('./document-server.ts', ['museum', String(records)], {})
  const line = { bench: 'memory', engine, unit: 'MB' } as const
  const { pid } = started
  const idleGoal = currentProgram().isPackage ? IDLE_GOALS.package : IDLE_GOALS.source
  const reportIdle = async (name: string) => {
    await sleep(IDLE_SECONDS * 1000)
    report({ ...line, name, figure: currentMemory(pid), goal: { atMost: idleGoal } })
  }
  const reportPeak = async (name: string, work: () => Promise<unknown>) => {
    resetPeakMemory(pid)
    await work()
    const measured = `${currentMemory(pid).toFixed(0)} MB afterwards`
    report({ ...line, name, figure: peakMemory(pid), goal: { atMost: PEAK_GOAL }, measured })
  }
  heading(
    `memory, ${engine}, ${PLATFORMS * MODULES} modules, ${PULLS} pulls of ${records} museum records`,
  )
  await reportIdle('idle after a start')
  const hub = await signIn(started, database)
  try {
    await reportIdle('idle after a sign-in')
    const { id: platformId } = await register(hub, { ...platform, name: 'bench-records' })
    const pull = async () =>
      waitForPull(hub, await startPull(hub, { platformId, recordTypes: recordTypes(1) }))
    await reportPeak('peak of the first pull', pull)
    await reportPeak('peak of the indexing after it', () => waitUntilSearchable(hub))
    await reportPeak('peak of searches', () => search(hub))
    const after: number[] = []
    await reportPeak('peak of unchanged pulls', async () => {
      for (let round = 2; round <= PULLS; round++) {
        await pull()
        after[round] = currentMemory(pid)
      }
    })
    const [early, late] = [after.slice(4, 7), after.slice(PULLS - 2)].map(median)
    if (!early || !late) throw new Error('There are too few pulls')
    report({
      ...line,
      name: `after pulls ${PULLS - 2} to ${PULLS}, of that after 4 to 6`,
      figure: late / early,
      unit: '×',
      goal: { atMost: GROWTH_GOAL },
      measured: `${late.toFixed(0)} MB`,
      yardstick: `${early.toFixed(0)} MB`,
    })
    for (const format of EXPORTS) {
      await reportPeak(`peak of an export, ${format}`, () => readExport(hub, format))
    }
  } finally {
    await hub.stop()
    await Promise.all([platform.stop(), server.stop()])
  }
}

async function search(hub: BenchHub): Promise<void> {
  for (let round = 0; round < SEARCH_ROUNDS; round++) {
    for (const query of SEARCHES) await hub.call('GET', `/api/v1/records?q=${query}`)
  }
}

async function readExport(hub: BenchHub, format: string): Promise<void> {
  const response = await hub.open(`/api/v1/records/export?format=${format}`)
  for await (const _chunk of response.body ?? []);
}
