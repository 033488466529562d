import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { peakMemory, runReader, startServer } from './processes.ts'

/** As a share of the megabytes per second of `response.json()`. */
const GOALS = { SQLite: { first: 1, again: 1.5 }, PostgreSQL: { first: 0.4, again: 0.8 } } as const

/** Pulls one document with many records, twice, compared with a program that only reads it. */
export async function benchPull(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', [String(records)], {})
  const hub = await startHub(engine)
  try {
    await register(hub, platform)
    const url = `http://127.0.0.1:${platform.port}/bench-1/api/hub/records/item-1`
    const before = await runReader('./read-document.ts', [url])
    const first = await pull(hub)
    const between = await runReader('./read-document.ts', [url])
    const again = await pull(hub)
    const after = await runReader('./read-document.ts', [url])
    const goals = GOALS[engine]
    const line = (name: string, seconds: number, yardsticks: number[], goal: number) => {
      const yardstick = yardsticks.reduce((sum, one) => sum + one, 0) / yardsticks.length
      return `  ${name} ${seconds.toFixed(1)} s, ${Math.round(records / seconds)} records/s; response.json() ${yardstick.toFixed(1)} s; ratio ${(yardstick / seconds).toFixed(2)} (goal ${goal.toFixed(1)})`
    }
    process.stdout.write(
      [
        `pull, ${engine}, ${records} records in one document`,
        line('first load     ', first, [before, between], goals.first),
        line('nothing changed', again, [between, after], goals.again),
        `  peak memory of the hub ${Math.round(peakMemory(hub.process.pid) / 1e6)} MB (goal 250)`,
        '',
      ].join('\n'),
    )
  } finally {
    await hub.stop()
    await platform.stop()
  }
}

/** @returns the seconds from its start to its end, as the hub reports them. */
async function pull(hub: BenchHub): Promise<number> {
  const { seconds } = await waitForPull(hub, await startPull(hub))
  return seconds
}
