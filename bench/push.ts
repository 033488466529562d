import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { startPushFloor } from './floors/run-floor.ts'
import { register, startHub } from './hub.ts'
import { startServer } from './processes.ts'
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
/** V8 optimises the functions of the hub until about this number of pushes; those of the floor need far fewer. */
const WARM_UP_PUSHES = 20_000
/** As a share of the requests per second of the floor, by connections. */
const GOALS = { SQLite: { 64: 0.7, 256: 0.75 }, PostgreSQL: { 64: 0.6, 256: 0.6 } } as const

type Pair = { floor: Round; hub: Round }

/** Durable pushes compared with their floor, alternated in pairs; the goals are ratios. */
export async function benchPush(engine: Engine, data: DataName, seconds: number): Promise<void> {
  const floor = await startPushFloor(engine)
  const hub = await startHub(engine)
  try {
    const platform = await startServer('./document-server.ts', [data, '0'], {})
    const { key } = await register(hub, platform)
    await platform.stop()
    const push = createPushLoad(key, data)
    heading(`push, ${engine}, ${data} records, ${ROUNDS} pairs of ${seconds} s`)
    for (const server of [floor, hub]) {
      for (let pushes = 0; pushes < WARM_UP_PUSHES; ) {
        pushes += (await push(server, 64, 2)).completed
      }
    }
    const pushToHub = async (connections: number) => {
      const round = await push(hub, connections, seconds)
      await untilIdle(hub)
      return round
    }
    await untilIdle(hub)
    for (const connections of [64, 256] as const) {
      const pairs: Pair[] = []
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push({
          floor: await push(floor, connections, seconds),
          hub: await pushToHub(connections),
        })
      }
      reportPairs(engine, data, connections, pairs)
    }
  } finally {
    await hub.stop()
    await floor.stop()
  }
}

const IDLE_CHECK_MS = 500
/** As a share of one core. */
const IDLE_SHARE = 0.1

/** Waits until a server has done what a round left to do, such as indexing texts, for which the next round would wait. */
async function untilIdle({ cpuSeconds }: MeasuredServer): Promise<void> {
  for (let used = 1; used > IDLE_SHARE; ) {
    const before = cpuSeconds()
    await sleep(IDLE_CHECK_MS)
    used = (cpuSeconds() - before) / (IDLE_CHECK_MS / 1000)
  }
}

function reportPairs(engine: Engine, data: DataName, connections: 64 | 256, pairs: Pair[]): void {
  const ratioOf = (figure: keyof Round) =>
    median(pairs.map((pair) => pair.hub[figure] / pair.floor[figure]))
  const line = { bench: 'push', engine, unit: '×' } as const
  report({
    ...line,
    name: `${data}, ${connections} connections`,
    figure: ratioOf('perSecond'),
    goal: { atLeast: GOALS[engine][connections] },
    measured: describeRounds(pairs.map((pair) => pair.hub)),
    yardstick: `floor ${describeRounds(pairs.map((pair) => pair.floor))}`,
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
      goal: null,
      yardstick: `floor ${median(pairs.map((pair) => pair.floor[figure])).toFixed(1)} µs`,
      cpuMicroseconds: median(pairs.map(({ hub }) => hub[figure])),
    })
  }
}
