import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub } from './hub.ts'
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
    const first = await pull(hub)
    const between = await readOnly(url)
    const again = await pull(hub)
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

/** @returns the seconds from its start to its end, as the hub tells them. */
export async function pull(hub: BenchHub): Promise<number> {
  const { pull: queued } = await hub.call('POST', '/api/v1/pulls')
  const { id }: { id: number } = Object(queued)
  for (;;) {
    await pause(200)
    const { pull: current } = await hub.call('GET', `/api/v1/pulls/${id}`)
    const { state, started_at, finished_at }: Record<string, string> = Object(current)
    if (!finished_at || !started_at) continue
    if (state !== 'succeeded') throw new Error(`The pull ended ${state}`)
    return (Date.parse(finished_at) - Date.parse(started_at)) / 1000
  }
}
