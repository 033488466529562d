import type { Engine } from './engines.ts'
import { register, startHub } from './hub.ts'
import { startServer } from './processes.ts'
import { createPushLoad, median, type Round } from './push-load.ts'

const ROUNDS = 3
/** As a share of the requests per second of the bare server, by connections. */
const GOALS = { SQLite: { 64: 0.55, 256: 0.8 }, PostgreSQL: { 64: 0.35, 256: 0.6 } } as const

/** Durable pushes compared with a bare server, alternated in pairs; the goals are ratios. */
export async function benchPush(engine: Engine, seconds: number): Promise<void> {
  const bare = await startServer('./bare-server.ts', [], {})
  const hub = await startHub(engine)
  try {
    const platform = await startServer('./platforms-server.ts', ['1'], {})
    const { key } = await register(hub, platform)
    await platform.stop()
    const push = createPushLoad(key)
    await push(bare, 64, 1)
    await push(hub.process, 64, 2)
    for (const connections of [64, 256] as const) {
      const pairs: { bare: Round; hub: Round }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push({
          bare: await push(bare, connections, seconds),
          hub: await push(hub.process, connections, seconds),
        })
      }
      report(engine, connections, pairs)
    }
  } finally {
    await hub.stop()
    await bare.stop()
  }
}

function report(engine: Engine, connections: 64 | 256, pairs: { bare: Round; hub: Round }[]): void {
  const of = (side: 'bare' | 'hub', figure: keyof Round) =>
    median(pairs.map((pair) => pair[side][figure]))
  const ratio = median(pairs.map((pair) => pair.hub.perSecond / pair.bare.perSecond))
  const cpu = median(pairs.map((pair) => pair.hub.cpuMicroseconds / pair.bare.cpuMicroseconds))
  const goal = GOALS[engine][connections]
  process.stdout.write(
    [
      `push, ${engine}, ${connections} connections, ${pairs.length} pairs`,
      `  bare node:http  ${of('bare', 'perSecond').toFixed(0)}/s  p50 ${of('bare', 'p50').toFixed(1)} ms  p99 ${of('bare', 'p99').toFixed(1)} ms`,
      `  hub, durable    ${of('hub', 'perSecond').toFixed(0)}/s  p50 ${of('hub', 'p50').toFixed(1)} ms  p99 ${of('hub', 'p99').toFixed(1)} ms`,
      `  ratio ${ratio.toFixed(2)} (goal ${goal.toFixed(2)})  processor time of the hub a push ${cpu.toFixed(2)} x${engine === 'SQLite' ? ' (goal 1.8 at 64)' : ''}`,
      '',
    ].join('\n'),
  )
}
