import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import {
  assertChecked,
  beginUse,
  createFailureGuard,
  endUse,
  stateFileOf,
} from './failure-guard.ts'

/** Extended result codes of SQLite. */
const CODES = {
  fsync: 1034,
  write: 778,
  truncate: 1546,
  read: 266,
  shortRead: 522,
  shmSize: 4874,
  shmMap: 5386,
  lock: 3850,
  noMemory: 3082,
  busy: 5,
  full: 13,
  corrupt: 11,
  corruptIndex: 779,
  notDatabase: 26,
  constraint: 2067,
}

const sqliteError = (errcode: number) => Object.assign(new Error('made up'), { errcode })

function fail(errcode: number): never {
  throw sqliteError(errcode)
}

function createFolder(t: TestContext): { path: string; messages: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-guard-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'hub.sqlite')
  new DatabaseSync(path).exec('CREATE TABLE things (id INTEGER); INSERT INTO things VALUES (1)')
  return { path, messages: [] }
}

test('only failures of the disk and damage end the use of a database', (t) => {
  const { path } = createFolder(t)
  const fatal: string[] = []
  for (const [name, code] of Object.entries(CODES)) {
    const guard = createFailureGuard(path, () => undefined)
    assert.throws(() => guard.run(() => fail(code)))
    if (guard.hasFailed()) fatal.push(name)
  }
  assert.deepEqual(fatal, [
    ...['fsync', 'write', 'truncate', 'read', 'shortRead'],
    ...['corrupt', 'corruptIndex', 'notDatabase'],
  ])
})

test('a failed read of a connection that only reads is not fatal, but damage is', (t) => {
  const { path } = createFolder(t)
  const guard = createFailureGuard(path, () => undefined)
  assert.throws(() => guard.read(() => fail(CODES.read)), { code: 'storage_unavailable' })
  assert.equal(guard.hasFailed(), false)
  assert.throws(() => guard.read(() => fail(CODES.corrupt)), { code: 'storage_failed' })
  assert.equal(guard.hasFailed(), true)
})

test('after a failure, no action runs, and the administrator gets one message', (t) => {
  const { path, messages } = createFolder(t)
  const guard = createFailureGuard(path, (message) => messages.push(message))
  assert.throws(() => guard.run(() => guard.run(() => fail(CODES.fsync))), {
    code: 'storage_failed',
  })
  assert.throws(() => guard.read(() => assert.fail('runs')), { code: 'storage_failed' })
  guard.fail(sqliteError(CODES.read))
  assert.equal(messages.length, 1)
  assert.match(messages[0] ?? '', /made up \(SQLite error 1034\)/)
})

test('a failure is recognized even if the disk does not delete files either', (t) => {
  const { path } = createFolder(t)
  // Can neither be written nor deleted as a file.
  mkdirSync(join(path, '..', 'recordhub.probe'))
  const guard = createFailureGuard(path, () => undefined)
  assert.throws(() => guard.run(() => fail(CODES.write)), { code: 'storage_failed' })
  assert.equal(guard.hasFailed(), true)
})

test('a full disk is not fatal', (t) => {
  const { path } = createFolder(t)
  const guard = createFailureGuard(path, () => undefined)
  assert.throws(() => guard.run(() => fail(CODES.full)), { code: 'disk_full' })
  assert.equal(guard.hasFailed(), false)
})

test('a failed write is not fatal if the disk is full', {
  skip: existsSync('/dev/full') ? false : 'only Linux has /dev/full',
}, (t) => {
  const { path } = createFolder(t)
  // The file that shows whether the disk is full.
  symlinkSync('/dev/full', join(path, '..', 'recordhub.probe'))
  const guard = createFailureGuard(path, () => undefined)
  assert.throws(() => guard.run(() => fail(CODES.write)), { code: 'disk_full' })
  assert.equal(guard.hasFailed(), false)
})

test('a failure is checked at the next start, and its reason stays until a check succeeds', (t) => {
  const { path, messages } = createFolder(t)
  const log = (message: string) => void messages.push(message)
  const guard = createFailureGuard(path, () => undefined)
  guard.fail(sqliteError(CODES.fsync))
  assert.throws(() => assertChecked(path), { code: 'database_unchecked', message: /made up/ })
  const intact = join(path, '..', 'intact')
  new DatabaseSync(path).prepare('VACUUM INTO ?').run(intact)
  writeFileSync(path, 'damaged')
  for (let start = 0; start < 2; start += 1) {
    assert.throws(() => beginUse(path, log), { code: 'database_damaged' })
  }
  rmSync(path)
  new DatabaseSync(intact).prepare('VACUUM INTO ?').run(path)
  messages.length = 0
  beginUse(path, log)
  assert.match(messages.join(' '), /Checking the whole database .* made up.*not damaged/)
  assertChecked(path)
  beginUse(path, () => assert.fail('a killed process is no reason for a check'))
  endUse(path)
  assert.ok(!existsSync(stateFileOf(path)))
})

test('a database that was in use when the machine stopped is checked', (t) => {
  const { path, messages } = createFolder(t)
  beginUse(path, () => assert.fail('a new database is not checked'))
  writeFileSync(stateFileOf(path), 'an earlier run of the machine\n\n')
  beginUse(path, (message) => void messages.push(message))
  assert.match(messages[0] ?? '', /because the machine stopped while the hub was running/)
})

test('a database whose creation was interrupted by a power failure is not damaged', (t) => {
  const { path, messages } = createFolder(t)
  const created = join(path, '..', 'created.sqlite')
  using database = new DatabaseSync(created)
  // A transaction that is larger than the cache syncs its journal and writes to the file before it is committed.
  database.exec(`PRAGMA cache_size = 1; BEGIN; CREATE TABLE things (text);
    INSERT INTO things SELECT hex(randomblob(100000)) FROM (VALUES (1), (2))`)
  for (const suffix of ['', '-journal']) copyFileSync(created + suffix, path + suffix)
  writeFileSync(stateFileOf(path), 'an earlier run of the machine\n\n')
  beginUse(path, (message) => void messages.push(message))
  assert.match(messages.join(' '), /The database is not damaged/)
  assert.ok(!existsSync(`${path}-journal`))
})
