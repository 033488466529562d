import type { Engine } from './engines.ts'
import { register, startHub } from './hub.ts'
import { cpuSeconds, startServer } from './processes.ts'
import {
  createPushLoad,
  describeRounds,
  type MeasuredServer,
  median,
  type Round,
} from './push-load.ts'
import type { DataName } from './records-data.ts'
import { heading, report } from './report.ts'

const ROUNDS = 3
/** As a share of the requests per second of the bare server, by connections. */
const GOALS = { SQLite: { 64: 0.55, 256: 0.8 }, PostgreSQL: { 64: 0.35, 256: 0.6 } } as const
/** Processor time per push, as a multiple of the bare server's. */
const CPU_GOAL = 1.8

type Pair = { bare: Round; hub: Round }

/** Durable pushes compared with a bare server, alternated in pairs; the goals are ratios. */
export async function benchPush(engine: Engine, data: DataName, seconds: number): Promise<void> {
  const bareProcess = await startServer('./bare-server.ts', [], {})
  const bare: MeasuredServer = {
    process: bareProcess,
    cpuSeconds: () => cpuSeconds([bareProcess.pid]),
  }
  const hub = await startHub(engine)
  try {
    const platform = await startServer('./document-server.ts', [data, '0'], {})
    const { key } = await register(hub, platform)
    await platform.stop()
    const push = createPushLoad(key, data)
    heading(`push, ${engine}, ${data} records, ${ROUNDS} pairs of ${seconds} s`)
    await push(bare, 64, 1)
    await push(hub, 64, 2)
    for (const connections of [64, 256] as const) {
      const pairs: Pair[] = []
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push({
          bare: await push(bare, connections, seconds),
          hub: await push(hub, connections, seconds),
        })
      }
      reportPairs(engine, data, connections, pairs)
    }
  } finally {
    await hub.stop()
    await bare.process.stop()
  }
}

function reportPairs(engine: Engine, data: DataName, connections: 64 | 256, pairs: Pair[]): void {
  const ratioOf = (figure: keyof Round) =>
    median(pairs.map((pair) => pair.hub[figure] / pair.bare[figure]))
  const line = { bench: 'push', engine, unit: '×' } as const
  report({
    ...line,
    name: `${data}, ${connections} connections`,
    figure: ratioOf('perSecond'),
    goal: { atLeast: GOALS[engine][connections] },
    measured: describeRounds(pairs.map((pair) => pair.hub)),
    yardstick: `bare node:http ${describeRounds(pairs.map((pair) => pair.bare))}`,
    cpuMicroseconds: median(pairs.map((pair) => pair.hub.cpuMicroseconds)),
  })
  for (const [threads, figure] of [
    ['CPU', 'cpuMicroseconds'],
    ['CPU of the main thread', 'mainThreadMicroseconds'],
  ] as const) {
    report({
      ...line,
      name: `${data}, ${connections} connections, ${threads}`,
      figure: ratioOf(figure),
      goal: engine === 'SQLite' && connections === 64 ? { atMost: CPU_GOAL } : null,
      yardstick: `bare node:http ${median(pairs.map(({ bare }) => bare[figure])).toFixed(1)} µs`,
      cpuMicroseconds: median(pairs.map(({ hub }) => hub[figure])),
    })
  }
}
