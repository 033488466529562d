/**
 * A data folder on SQLite as a hub leaves it after its first start and a sign-in: with the tables, the operator of the
 * sandbox and a session. Tests copy it, because migrations, passwords and Better Auth cost more than the rest of a start.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createSession, type SessionHeaders } from './operator.ts'
import { bareEnvironment, HUB_ENVIRONMENT, hubProgram, LISTENS } from './sandbox.ts'

type DataTemplate = {
  /** The data folder, for `TEST_HUB_DATA`. */
  path: string
  /** Of the operator, for `TEST_HUB_SESSION`. */
  session: SessionHeaders
  remove: () => void
}

/** Runs a hub in a temporary folder, signs in and stops it. */
export async function createDataTemplate(): Promise<DataTemplate> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-template-'))
  const child = spawn(process.execPath, [hubProgram(), 'start'], {
    cwd: folder,
    env: { ...bareEnvironment(), ...HUB_ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let session: SessionHeaders | null = null
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith(LISTENS)) continue
    session = await createSession(line.slice(LISTENS.length)).finally(() => child.kill('SIGTERM'))
  }
  await ended
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (session && child.exitCode === 0) return { path: join(folder, 'data'), session, remove }
  remove()
  throw new Error(`The hub of the template ended with ${child.exitCode}`)
}
