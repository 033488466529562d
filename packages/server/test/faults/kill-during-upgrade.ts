import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { migrations } from '../../src/storage/sqlite/migrations/index.ts'
import type { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { bareEnvironment } from '../helpers/process/sandbox.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { pushWrite, registerTestPlatform, write } from '../helpers/storage/fixtures.ts'

export const CHILD = fileURLToPath(new URL('../helpers/process/upgrade.child.ts', import.meta.url))
export const RECORDS = 300
/** The migrations of this version, with the same names on both engines. */
export const CURRENT = Object.keys(migrations)

export type Job = { engine: 'SQLite' | 'PostgreSQL'; location: string; backups: string }

/** Runs the upgrade. Kills the process at a point; without one, waits for its end. @returns the last line printed. */
export async function runUpgrade(job: Job, blockAt = ''): Promise<string> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify({ ...job, blockAt })], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    if (line === blockAt) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return lines.at(-1) ?? ''
}

export async function fill(storage: Awaited<ReturnType<typeof openSqlite>>): Promise<void> {
  const clock = new TestClock()
  const school = await registerTestPlatform({ storage, clock })
  const references = Array.from({ length: RECORDS }, (_, n) => `r-${n}`)
  await write(
    { storage, clock },
    ...references.map((reference) => pushWrite(school, { reference })),
  )
  await storage.close()
}
