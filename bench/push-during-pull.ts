import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { type BenchHub, readPull, register, startHub, startPull, waitForPull } from './hub.ts'
import { recordTypes } from './platforms.ts'
import { startServer } from './processes.ts'
import { createPushLoad, describeRounds, median, type Round } from './push-load.ts'
import { heading, report } from './report.ts'

const ROUNDS = 3
const CONNECTIONS = 64
/** A pull must take at least as long as the concurrent pushes. */
const RECORDS_A_SECOND = { SQLite: 80_000, PostgreSQL: 40_000 }
const GOALS = { ratio: 0.5, p99: 5 }

type Pair = { alone: Round; during: Round; pulledPerSecond: number }

/** Pushes alone and during a pull of a large document, first and repeated, alternated in pairs. */
export async function benchPushDuringPull(engine: Engine, seconds: number): Promise<void> {
  const records = RECORDS_A_SECOND[engine] * seconds
  const platform = await startServer(
    './document-server.ts',
    ['small', String(records), String(ROUNDS)],
    {},
  )
  const receiver = await startServer('./platforms-server.ts', ['1'], {})
  const hub = await startHub(engine)
  try {
    const { key } = await register(hub, { port: receiver.port, name: 'bench-pushes' })
    const { id: platformId } = await register(hub, { ...platform, modules: ROUNDS })
    const push = createPushLoad(key, 'small')
    const types = recordTypes(ROUNDS)
    const runPair = async (pulled: string[]): Promise<Pair> => {
      const alone = await push(hub, CONNECTIONS, seconds)
      const pullId = await startPull(hub, { platformId, recordTypes: pulled })
      await waitUntilItReads(hub, pullId)
      const before = await readPull(hub, pullId)
      const during = await push(hub, CONNECTIONS, seconds)
      const after = await readPull(hub, pullId)
      if (after.finished_at !== null) throw new Error('The pull ended before the pushes')
      const pulledPerSecond = (after.counts.received - before.counts.received) / seconds
      await waitForPull(hub, pullId)
      return { alone, during, pulledPerSecond }
    }
    heading(`push during pull, ${engine}, ${records} records, ${CONNECTIONS} connections`)
    await push(hub, CONNECTIONS, 2)
    const first: Pair[] = []
    for (const type of types) first.push(await runPair([type]))
    reportPairs(engine, 'first load', first)
    const again: Pair[] = []
    for (const _ of types) again.push(await runPair(types))
    reportPairs(engine, 'nothing changed', again)
  } finally {
    await hub.stop()
    await Promise.all([platform.stop(), receiver.stop()])
  }
}

async function waitUntilItReads(hub: BenchHub, pullId: number): Promise<void> {
  while ((await readPull(hub, pullId)).counts.received === 0) await sleep(50)
}

function reportPairs(engine: Engine, name: string, pairs: Pair[]): void {
  const ratioOf = (figure: keyof Round) =>
    median(pairs.map(({ during, alone }) => during[figure] / alone[figure]))
  const line = { bench: 'push-during-pull', engine, unit: '×' } as const
  const pulled = median(pairs.map((pair) => pair.pulledPerSecond)).toFixed(0)
  report({
    ...line,
    name,
    figure: ratioOf('perSecond'),
    goal: { atLeast: GOALS.ratio },
    measured: `${describeRounds(pairs.map((pair) => pair.during))}, pulled ${pulled} records/s`,
    yardstick: `alone ${describeRounds(pairs.map((pair) => pair.alone))}`,
    cpuMicroseconds: median(pairs.map((pair) => pair.alone.cpuMicroseconds)),
  })
  report({ ...line, name: `${name}, p99`, figure: ratioOf('p99'), goal: { atMost: GOALS.p99 } })
}
