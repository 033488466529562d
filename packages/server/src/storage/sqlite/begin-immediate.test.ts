import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { BUSY_TIMEOUT_MS, beginImmediate } from './begin-immediate.ts'
import { isBusy } from './map-error.ts'

/** Two connections. The second one gives up at once, as if signals had ended each of its sleeps. */
function openTwo(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-begin-'))
  const path = join(folder, 'hub.sqlite')
  const holder = new DatabaseSync(path)
  holder.exec('PRAGMA journal_mode = WAL')
  const waiting = new DatabaseSync(path, { timeout: 0 })
  t.after(() => {
    waiting.close()
    holder.close()
    rmSync(folder, { recursive: true })
  })
  holder.exec('BEGIN IMMEDIATE')
  return { holder, waiting }
}

test('the writer waits by elapsed time, however early SQLite gives up', (t) => {
  const { holder, waiting } = openTwo(t)
  let attempts = 0
  beginImmediate(waiting, () => {
    attempts += 1
    if (attempts === 100) holder.exec('COMMIT')
    return attempts
  })
  assert.equal(waiting.isTransaction, true)
  assert.equal(attempts, 100)
})

test('the writer gives up when the lock is held for longer than the timeout', (t) => {
  const { waiting } = openTwo(t)
  let now = 0
  const clock = () => {
    now += BUSY_TIMEOUT_MS / 4
    return now
  }
  assert.throws(() => beginImmediate(waiting, clock), isBusy)
  assert.equal(now, BUSY_TIMEOUT_MS + BUSY_TIMEOUT_MS / 4)
})
