/** A log that nothing reads must neither stop the hub nor fill its memory. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bareEnvironment, test } from '../helpers/process/sandbox.ts'

const CHILD = fileURLToPath(new URL('../helpers/process/logger.child.ts', import.meta.url))

function startLogging() {
  const stdio = ['pipe', 'pipe', 'pipe'] satisfies ('pipe' | 'ignore')[]
  const child = spawn(process.execPath, [CHILD], { env: bareEnvironment(), stdio })
  return { child, ended: once(child, 'exit'), logged: once(child.stderr, 'data') }
}

test('a process whose log nothing reads continues, and exits', async () => {
  const { child, ended, logged } = startLogging()
  await logged
  child.stdin.end()
  assert.deepEqual(await ended, [0, null])
})

test('lines that nothing read in time are dropped and counted', async () => {
  const { child, ended, logged } = startLogging()
  await logged
  let read = 0
  for await (const text of createInterface({ input: child.stdout })) {
    const { line, lines, msg }: { line?: number; lines?: number; msg: string } = JSON.parse(text)
    if (line !== undefined) read = Math.max(read, line)
    if (lines === undefined) continue
    assert.match(msg, /^log lines were dropped/)
    assert.ok(read > 1000)
    assert.equal(read + lines, 8000)
    child.stdin.end()
  }
  assert.deepEqual(await ended, [0, null])
})
