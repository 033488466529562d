/** The full-text index of SQLite contains deleted terms until its segments are merged. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test as plainTest } from 'node:test'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { searchFileOf } from '../../../src/storage/sqlite/search-file.ts'
import { createSearchReader } from '../../../src/storage/sqlite/search-reader.ts'
import { openSqlite } from '../../../src/storage/sqlite/storage.ts'
import { hashReference, TestClock } from '../../helpers/storage/engine.ts'
import { createTest } from '../../helpers/storage/engines.ts'
import { changeLog, pushWrite } from '../../helpers/storage/fixtures.ts'
import { createKit } from '../../helpers/storage/kit.ts'
import { removePlatform, runRemovals } from '../../helpers/storage/removals.ts'
import {
  countIndexedTexts,
  findTextIndex,
  openTextIndex,
  queryTextIndex,
} from '../../helpers/storage/search.ts'
import {
  interruptCreation,
  openTemporarySqlite,
  sqliteEngine,
} from '../../helpers/storage/sqlite.ts'
import { isDeep, rounds } from '../../helpers/time/tier.ts'

/** Starting the threads takes longer than most of these tests. */
const test = createTest({ engines: [sqliteEngine], withThreads: isDeep })

const testWithThreads = createTest({ engines: [sqliteEngine], withThreads: true })

/** Characters that no other name contains. The index omits prefixes shared with the previous term. */
const NAME = '\u{10000}\u{10001}\u{10002}\u{10003}\u{10004}'
const END_OF_TERM = Buffer.from('\u{10002}\u{10003}').toString('hex').toUpperCase()

/** Unique characters that sort first, where a merge starts. */
const FIRST_NAME = '000170001'
const FIRST_TERM = Buffer.from('0170001').toString('hex').toUpperCase()

const FOREIGN = [
  'The search index is of another version or database, so the hub creates a new one.',
]
/** How the file can become useless, and what the hub reports. */
const DEFECTS: [name: string, damage: (path: string) => void, warnings: string[]][] = [
  ['a deleted file', (path) => rmSync(path), []],
  ['a damaged file', overwrite, ['The search index is damaged, so the hub creates a new one.']],
  [
    'a file whose creation was interrupted',
    interruptCreation,
    ['The search index is damaged, so the hub creates a new one.'],
  ],
  ['a file of another version', (path) => change(path, 'PRAGMA user_version = 999'), FOREIGN],
  [
    'a file of another database',
    (path) => change(path, `UPDATE state SET database_id = 'another'`),
    FOREIGN,
  ],
  [
    'a file that is newer than the database, after a backup was restored,',
    (path) => change(path, 'UPDATE state SET position = 1000000'),
    FOREIGN,
  ],
]

function overwrite(path: string): void {
  writeFileSync(path, 'no database'.repeat(1000))
  rmSync(`${path}-wal`)
}

function change(path: string, statement: string): void {
  using file = new DatabaseSync(path)
  file.exec(statement)
}

for (const mode of ['erase', 'anonymise'] as const) {
  testWithThreads(`${mode} removes all characters of the record from the index`, async (kit) => {
    const { storage } = kit
    const school = await kit.register()
    const { record_id } = await school.post({ full_name: NAME })
    await kit.indexAll()
    const perRound = rounds(60, 300)
    for (let round = 0; round < 5; round++) {
      const others = Array.from({ length: perRound }, (_, n) =>
        pushWrite(school, { reference: `other-${round}-${n}` }),
      )
      await kit.write(...others)
      await kit.indexAll()
    }
    assert.ok(await isInIndex(storage), 'the test detects the characters')
    const erasure = { record_id, mode, actor: 'ann' }
    await storage.erasure.eraseRecord(erasure, changeLog(`record.${mode}`))
    assert.equal(await isInIndex(storage), false)
    assert.equal((await kit.records({ search: ['other'] })).length, 5 * perRound)
  })
}

test('an erasure removes all characters even after an interrupted merge', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const { record_id } = await school.post({ full_name: FIRST_NAME })
  for (let round = 0; round < 20; round++) {
    const others = Array.from({ length: rounds(30, 100) }, (_, n) =>
      pushWrite(school, {
        reference: `other-${round}-${n}`,
        full_name: `${round} ${n * 7919}`,
      }),
    )
    await kit.write(...others)
    await kit.indexAll()
  }
  await queryTextIndex(
    storage,
    `INSERT INTO record_search (record_search, rank) VALUES ('merge', -8)`,
  )
  assert.ok(await isInIndex(storage, FIRST_TERM), 'the test detects the characters')
  const erasure = { record_id, mode: 'erase', actor: 'ann' } as const
  await storage.erasure.eraseRecord(erasure, changeLog('record.erased'))
  assert.equal(await isInIndex(storage, FIRST_TERM), false)
})

test('an erasure removes all characters in every merge state of the index', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const roundsWithTraces = new Set<number>()
  for (let round = 0; round < rounds(8, 40); round += 1) {
    const person = pushWrite(school, { reference: `person-${round}`, full_name: NAME })
    const { record_id } = await kit.writeOne(person)
    const others = Array.from({ length: rounds(30, 60) }, (_, n) =>
      pushWrite(school, {
        reference: `other-${round}-${n}`,
        full_name: `Name ${round * 60 + n}`,
      }),
    )
    await kit.write(...others)
    await kit.indexAll(10)
    const erasure = { record_id, mode: 'erase', actor: 'ann' } as const
    await storage.erasure.eraseRecord(erasure, changeLog('record.erased'))
    if (await isInIndex(storage)) roundsWithTraces.add(round)
  }
  assert.deepEqual([...roundsWithTraces], [])
})

testWithThreads('an erasure completes while records are indexed concurrently', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const { record_id } = await school.post({ full_name: NAME })
  for (let round = 0; round < rounds(1, 5); round += 1) {
    const some = Array.from({ length: 1000 }, (_, n) =>
      pushWrite(school, {
        reference: `other-${round}-${n}`,
        full_name: `${round} ${n * 7919}`,
      }),
    )
    await kit.write(...some)
  }
  await storage.searchIndex.indexTexts(100)
  let isErased = false
  const indexRecords = async () => {
    while (!isErased && (await storage.searchIndex.indexTexts(100)) > 0);
    return (await storage.searchIndex.readSearchIndex()).lag
  }
  const erasing = storage.erasure
    .eraseRecord({ record_id, mode: 'erase', actor: 'ann' }, changeLog('record.erased'))
    .finally(() => {
      isErased = true
    })
  await Promise.all([erasing, indexRecords()])
  assert.equal(await isInIndex(storage), false)
})

test('deletion steps purge the index after a killed erasure and after removing a platform', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ full_name: NAME })
  await kit.indexAll()
  // The state after a process was killed after the last transaction of an erasure.
  await kit.runSql(`DELETE FROM records WHERE record_id = ${record_id}`)
  await kit.runSql(
    `INSERT INTO record_deletions VALUES (7, ${record_id}, 1, 1, 'school', 'students', '')`,
  )
  await kit.runSql(`INSERT INTO pending_purges VALUES (1, 7)`)
  await kit.runSql(`UPDATE write_sequence SET value = 7`)
  const storage = await kit.reopen()
  assert.ok(await isInIndex(storage))
  assert.equal(await storage.removals.runNextStep(), true)
  assert.equal(await isInIndex(storage), false)
  assert.equal(await storage.removals.runNextStep(), false)

  await school.post({ full_name: NAME })
  await kit.indexAll()
  assert.ok(await isInIndex(storage))
  await removePlatform(kit, school)
  await runRemovals(kit)
  assert.equal(await isInIndex(storage), false)
})

for (const [name, damage, expected] of DEFECTS) {
  plainTest(`${name} is replaced by an index of all records`, async () => {
    const warnings: string[] = []
    const clock = new TestClock()
    const warn = (message: string) => warnings.push(message)
    await using opened = await openTemporarySqlite(clock, { warn, withThreads: isDeep })
    const kit = createKit(opened)
    const school = await kit.register()
    await school.post({ full_name: 'Ann' })
    assert.equal(await kit.indexAll(), 1)
    const path = await findTextIndex(kit.storage)

    damage(path)
    const storage = await opened.reopen()
    assert.equal(await kit.indexAll(), 1)
    assert.equal((await kit.records({ search: ['ann'] })).length, 1)
    assert.equal(await countIndexedTexts(storage), 1)
    assert.equal(await kit.indexAll(), 0)
    assert.deepEqual(warnings, expected)
  })
}

plainTest(
  'an index that cannot be opened, because the hub is creating it anew, is treated as missing',
  () => {
    const path = import.meta.dirname
    const file = { path, databasePath: path, databaseId: 'one' }
    const reader = createSearchReader(file, assert.fail)
    assert.equal(reader.find(['ann'], 10), null)
    assert.equal(reader.readPosition(), 0)
  },
)

test('a search that finds damaged entries scans the records, and the index is created anew', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  await school.post({ full_name: 'Ann' })
  await kit.indexAll()
  await damageEntries(storage)
  const find = async () => (await kit.records({ search: ['ann'] })).length
  assert.equal(await find(), 1)
  assert.equal(await kit.indexAll(), 1)
  assert.equal(await countIndexedTexts(storage), 1)
  assert.equal(await find(), 1)
})

plainTest('another process can have the index of a running hub rebuilt', async () => {
  const clock = new TestClock()
  await using opened = await openTemporarySqlite(clock)
  const kit = createKit(opened)
  const school = await kit.register()
  await school.post({ full_name: NAME })
  await kit.indexAll()
  const { path } = opened
  const { ino } = statSync(searchFileOf(path))
  const command = await openSqlite({ path, asHub: false, timeZone: 'UTC', clock, hashReference })
  await command.searchIndex.rebuildTextIndex()
  await command.close()
  await school.post({ full_name: 'Bob' })
  assert.equal(await kit.indexAll(), 1)
  assert.equal(await isInIndex(opened.storage), false)
  assert.equal(statSync(searchFileOf(path)).ino, ino, 'readers have the file open')
})

async function damageEntries(storage: Storage): Promise<void> {
  using file = await openTextIndex(storage)
  file.enableDefensive(false)
  file.exec('UPDATE record_search_data SET block = zeroblob(100) WHERE id > 10')
}

/** Whether a term is in the index, or its bytes are in the file or its log. */
async function isInIndex(storage: Storage, term = END_OF_TERM): Promise<boolean> {
  const rows = await queryTextIndex(storage, 'SELECT hex(block) AS block FROM record_search_data')
  if (rows.some(({ block }) => String(block).includes(term))) return true
  const path = await findTextIndex(storage)
  return [path, `${path}-wal`].some(
    (file) => existsSync(file) && readFileSync(file).includes(Buffer.from(term, 'hex')),
  )
}
