import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { type BenchHub, readPull, register, startHub, startPull, waitForPull } from './hub.ts'
import { recordTypes } from './platforms.ts'
import { startServer } from './processes.ts'
import { createPushLoad, median, type Round } from './push-load.ts'

const ROUNDS = 3
const CONNECTIONS = 64
/** A pull must take at least as long as the concurrent pushes. */
const RECORDS_A_SECOND = { SQLite: 80_000, PostgreSQL: 40_000 }
const GOALS = { ratio: 0.5, p99: 5 }

type Pair = { alone: Round; during: Round; pulledPerSecond: number }

/** Pushes alone and during a pull of a large document, first and repeated, alternated in pairs. */
export async function benchPushDuringPull(engine: Engine, seconds: number): Promise<void> {
  const records = RECORDS_A_SECOND[engine] * seconds
  const platform = await startServer('./document-server.ts', [String(records), String(ROUNDS)], {})
  const receiver = await startServer('./platforms-server.ts', ['1'], {})
  const hub = await startHub(engine)
  try {
    const { key } = await register(hub, { port: receiver.port, name: 'bench-pushes' })
    const { id: platformId } = await register(hub, { ...platform, modules: ROUNDS })
    const push = createPushLoad(key)
    const types = recordTypes(ROUNDS)
    const runPair = async (pulled: string[]): Promise<Pair> => {
      const alone = await push(hub.process, CONNECTIONS, seconds)
      const pullId = await startPull(hub, { platformId, recordTypes: pulled })
      await waitUntilItReads(hub, pullId)
      const before = await readPull(hub, pullId)
      const during = await push(hub.process, CONNECTIONS, seconds)
      const after = await readPull(hub, pullId)
      if (after.finished_at !== null) throw new Error('The pull ended before the pushes')
      const pulledPerSecond = (after.counts.received - before.counts.received) / seconds
      await waitForPull(hub, pullId)
      return { alone, during, pulledPerSecond }
    }
    await push(hub.process, CONNECTIONS, 2)
    const first: Pair[] = []
    for (const type of types) first.push(await runPair([type]))
    report(`push during pull, ${engine}, first load of ${records} records`, first)
    const again: Pair[] = []
    for (const _ of types) again.push(await runPair(types))
    report(`push during pull, ${engine}, nothing changed`, again)
  } finally {
    await hub.stop()
    await Promise.all([platform.stop(), receiver.stop()])
  }
}

async function waitUntilItReads(hub: BenchHub, pullId: number): Promise<void> {
  while ((await readPull(hub, pullId)).counts.received === 0) await pause(50)
}

function report(title: string, pairs: Pair[]): void {
  const of = (side: 'alone' | 'during', figure: keyof Round) =>
    median(pairs.map((pair) => pair[side][figure]))
  const ratio = (figure: keyof Round) =>
    median(pairs.map(({ during, alone }) => during[figure] / alone[figure]))
  const line = (side: 'alone' | 'during') =>
    `${of(side, 'perSecond').toFixed(0)}/s  p50 ${of(side, 'p50').toFixed(1)} ms  p99 ${of(side, 'p99').toFixed(1)} ms`
  process.stdout.write(
    [
      `${title}, ${CONNECTIONS} connections, ${pairs.length} pairs`,
      `  alone   ${line('alone')}`,
      `  during  ${line('during')}; pulled ${median(pairs.map((pair) => pair.pulledPerSecond)).toFixed(0)} records/s beside them`,
      `  ratio ${ratio('perSecond').toFixed(2)} (goal ${GOALS.ratio.toFixed(2)})  p99 ${ratio('p99').toFixed(1)} x (goal ${GOALS.p99})`,
      '',
    ].join('\n'),
  )
}
