import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Engine } from './engines.ts'
import { pullOnce, register, startHub } from './hub.ts'
import { peakMemory, startServer } from './processes.ts'

/** Of the megabytes a second of `response.json()`. */
const GOALS = { SQLite: { first: 1, again: 1.5 }, PostgreSQL: { first: 0.4, again: 0.8 } } as const
const READER = fileURLToPath(new URL('./read-document.ts', import.meta.url))

/** One document of so many records, pulled for the first time and again, beside a program that only reads it. */
export async function benchPull(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', [String(records)], {})
  const hub = await startHub(engine)
  try {
    await register(hub, platform.port)
    const url = `http://127.0.0.1:${platform.port}/api/hub/records/item`
    const before = await readOnly(url)
    const first = await pullOnce(hub)
    const between = await readOnly(url)
    const again = await pullOnce(hub)
    const after = await readOnly(url)
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

/** @returns seconds. */
async function readOnly(url: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=8192',
    READER,
    url,
  ])
  const { milliseconds }: { milliseconds: number } = JSON.parse(stdout)
  return milliseconds / 1000
}
