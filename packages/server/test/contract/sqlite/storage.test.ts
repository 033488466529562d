import assert from 'node:assert/strict'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { copySnapshot, deleteNotBackedUp } from '../../../src/storage/sqlite/database-snapshot.ts'
import { openSqlite } from '../../../src/storage/sqlite/storage.ts'
import { hashReference, TestClock } from '../../helpers/storage/engine.ts'
import {
  listRecords,
  loggedRequest,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import {
  pullOnce,
  pullWrite,
  startPullAndRead,
  startTestPull,
  taskOf,
  taskResult,
} from '../../helpers/storage/pulls.ts'
import { deleteOld } from '../../helpers/storage/retention.ts'
import { runSql } from '../../helpers/storage/sql.ts'
import { openTemporarySqlite } from '../../helpers/storage/sqlite.ts'
import { untilTrue } from '../../helpers/time/until.ts'

const UNAVAILABLE = { name: 'HubError', code: 'storage_unavailable' }
const IN_USE = { name: 'HubError', code: 'data_folder_in_use' }

test('the copy for a backup keeps nothing of the request log, not even in free parts of pages', async () => {
  await using opened = await openTemporarySqlite(new TestClock())
  const { storage, path } = opened
  const logged = loggedRequest(null, { request_id: 'a-logged-request' })
  await storage.requests.saveRequests([logged], 1e6)
  const copy = `${path}-copy`
  copySnapshot(path, copy)
  const readCopy = () => readFile(copy, 'latin1')
  assert.match(await readCopy(), /a-logged-request/)
  deleteNotBackedUp(copy)
  assert.doesNotMatch(await readCopy(), /a-logged-request/)
})

test('a pull without changes writes nothing to the file or its write-ahead log', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { storage, path } = opened
  const kit = { storage, clock }
  const school = await registerTestPlatform(kit)
  const references = Array.from({ length: 500 }, (_, index) => `r-${index}`)
  await pullOnce(kit, school, async (read) => {
    await write(kit, ...references.map((reference) => pullWrite(read, { reference })))
  })
  const read = await startPullAndRead(storage, school)
  const observer = new DatabaseSync(path, { readOnly: true })
  const readFileState = async () => ({
    version: observer.prepare('PRAGMA data_version').get(),
    log: (await stat(`${path}-wal`)).size,
    file: (await stat(path)).mtimeMs,
  })
  // The checkpoint thread has emptied the log and is idle.
  await untilTrue('the log is empty', async () => (await readFileState()).log === 0)
  const before = await readFileState()
  const writes = references.map((reference) => pullWrite(read, { reference }))
  const outcomes = outcomesOf(await write(kit, ...writes))
  assert.deepEqual(new Set(outcomes), new Set(['unchanged']))
  assert.deepEqual(await readFileState(), before)
  await write(kit, pullWrite(read, { reference: 'new' }))
  assert.notDeepEqual((await readFileState()).version, before.version)
  observer.close()
})

test('commits are synchronous again after an asynchronous task update', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { storage } = opened
  const school = await registerTestPlatform({ storage, clock })
  const pull = await startTestPull(storage)
  const { task_number } = taskOf(pull, school)
  const expectFull = async () => {
    const { synchronous } = only(await runSql(storage, 'PRAGMA synchronous'))
    assert.equal(synchronous, 2)
  }
  await storage.pulls.startTask(pull.pull_id, task_number)
  await expectFull()
  await runSql(storage, 'PRAGMA query_only = ON')
  const finishing = storage.pulls.finishTask(pull.pull_id, task_number, taskResult(), null)
  await assert.rejects(finishing, UNAVAILABLE)
  await runSql(storage, 'PRAGMA query_only = OFF')
  await expectFull()
})

test('deleting old rows shrinks the file, and the free disk space is reported', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { storage, path } = opened
  const kit = { storage, clock }
  const school = await registerTestPlatform(kit)
  await write(kit, pushWrite(school))
  for (let index = 0; index < 200; index += 1) {
    const data = JSON.stringify({ text: `${index} ${'x'.repeat(20_000)}` })
    await write(kit, pushWrite(school, { data }))
  }
  const pages = () => {
    const observer = new DatabaseSync(path, { readOnly: true })
    const count = observer.prepare('PRAGMA page_count').get()?.['page_count']
    observer.close()
    return Number(count)
  }
  const before = pages()
  clock.advance(3600)
  assert.equal(await deleteOld(storage, 'history', clock.text, 50), 200)
  assert.equal(pages(), before)
  let steps = 0
  while (await storage.retention.reclaimSpace()) steps += 1
  assert.ok(steps > 0, 'the space is reclaimed in steps')
  assert.ok(pages() < before / 10, `${pages()} of ${before} pages remain`)
  const disk = await storage.readDiskSpace()
  assert.ok(disk && disk.available > 0 && disk.available <= disk.total)
})

test('a full disk rejects the whole batch with disk_full and changes nothing', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { storage } = opened
  const kit = { storage, clock }
  const school = await registerTestPlatform(kit)
  await write(kit, pushWrite(school))
  const before = await storage.snapshot.readSnapshot(clock.day)
  const pages = Number(only(await runSql(storage, 'PRAGMA page_count'))['page_count'])
  await runSql(storage, `PRAGMA max_page_count = ${pages + 2}`)
  const large = Array.from({ length: 50 }, (_, index) =>
    pushWrite(school, { reference: `r-${index}`, data: `{"a":"${'x'.repeat(10_000)}"}` }),
  )
  await assert.rejects(write(kit, ...large), { code: 'disk_full' })
  assert.deepEqual(await storage.snapshot.readSnapshot(clock.day), before)
  await runSql(storage, 'PRAGMA max_page_count = 1000000')
  const outcomes = outcomesOf(await write(kit, ...large))
  assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 49)
  assert.equal((await listRecords(storage)).length, 50)
})

test('a read-only database can be read, and writes fail with storage_unavailable', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { storage } = opened
  const kit = { storage, clock }
  const school = await registerTestPlatform(kit)
  await write(kit, pushWrite(school))
  await runSql(storage, 'PRAGMA query_only = ON')
  await assert.rejects(storage.checkWritable(), UNAVAILABLE)
  await assert.rejects(write(kit, pushWrite(school, { reference: 'r-2' })), UNAVAILABLE)
  const entry = { level: 'info', kind: 'test.entry', message: 'Test entry' } as const
  await assert.rejects(storage.activity.appendActivity(entry), UNAVAILABLE)
  only(await listRecords(storage))
  await runSql(storage, 'PRAGMA query_only = OFF')
  await storage.checkWritable()
  assert.deepEqual(outcomesOf(await write(kit, pushWrite(school, { reference: 'r-2' }))), [
    'created',
  ])
})

test('a file migrated by a newer version is rejected', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { storage, path, reopen } = opened
  await registerTestPlatform({ storage, clock })
  await runSql(
    storage,
    `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-future', '2126-01-01')`,
  )
  const opening = openSqlite({ path, asHub: false, timeZone: 'UTC', clock, hashReference })
  await assert.rejects(opening, {
    code: 'newer_schema',
    message: /9999-future.*Start that version/,
  })
  await runSql(storage, `DELETE FROM kysely_migration WHERE name = '9999-future'`)
  only(await (await reopen()).platforms.listPlatforms())
})

test('opening a file that is not a database fails with storage_unavailable', async () => {
  const options = { asHub: false, timeZone: 'UTC', clock: new TestClock(), hashReference }
  await assert.rejects(openSqlite({ path: import.meta.filename, ...options }), UNAVAILABLE)
})

test('a folder that cannot be created fails with storage_unavailable', async () => {
  const options = { asHub: false, timeZone: 'UTC', clock: new TestClock(), hashReference }
  const path = `${import.meta.filename}/below-a-file/hub.sqlite`
  await assert.rejects(openSqlite({ path, ...options }), UNAVAILABLE)
})

test('a folder without a usable lock file fails with storage_unavailable', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { folder } = opened
  const path = join(folder, 'other.sqlite')
  await mkdir(`${path}.lock`)
  const opening = openSqlite({ path, asHub: true, timeZone: 'UTC', clock, hashReference })
  await assert.rejects(opening, UNAVAILABLE)
})

test('only one hub can open a file, and another one can open it after it is closed', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { path, reopen } = opened
  const second = openSqlite({ path, asHub: true, timeZone: 'UTC', clock, hashReference })
  await assert.rejects(second, IN_USE)
  const commandLine = await openSqlite({
    path,
    asHub: false,
    timeZone: 'UTC',
    clock,
    hashReference,
  })
  await commandLine.checkWritable()
  await commandLine.close()
  await (await reopen()).checkWritable()
})

test('the dispatcher interrupts a pull of a process that has ended', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const { storage, reopen } = opened
  const abandoned = await startTestPull(storage)
  const { pulls, pullDispatcher } = await reopen()
  await pullDispatcher.start(async () => {})
  assert.equal((await pulls.readPull(abandoned.pull_id))?.state, 'interrupted')
  await pullDispatcher.stop()
})
