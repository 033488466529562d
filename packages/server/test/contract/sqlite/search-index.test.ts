/** The full-text index of SQLite contains deleted terms until its segments are merged. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { withStorage } from '../../helpers/storage/engine.ts'
import {
  changeLog,
  listRecords,
  pushWrite,
  registerTestPlatform,
  write,
  writeOne,
} from '../../helpers/storage/fixtures.ts'
import { removePlatform, runRemovals } from '../../helpers/storage/removals.ts'
import { indexAll } from '../../helpers/storage/search.ts'
import { runSql } from '../../helpers/storage/sql.ts'
import { sqliteEngine } from '../../helpers/storage/sqlite.ts'

/** Characters that no other name contains. The index omits prefixes shared with the previous term. */
const NAME = '\u{10000}\u{10001}\u{10002}\u{10003}\u{10004}'
const END_OF_TERM = Buffer.from('\u{10002}\u{10003}').toString('hex').toUpperCase()

/** Unique characters that sort first, where a merge starts. */
const FIRST_NAME = 'xy#$%'
const FIRST_TERM = Buffer.from('#$%').toString('hex').toUpperCase()

describe('the search index of SQLite', () => {
  for (const mode of ['erase', 'anonymise'] as const) {
    test(
      `${mode} removes all characters of the record from the index`,
      withStorage(sqliteEngine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        const { record_id } = await writeOne(kit, pushWrite(school, { full_name: NAME }))
        await indexAll(storage)
        for (let round = 0; round < 5; round++) {
          const others = Array.from({ length: 300 }, (_, n) =>
            pushWrite(school, { reference: `other-${round}-${n}` }),
          )
          await write(kit, ...others)
          await indexAll(storage)
        }
        assert.ok(await isInIndex(storage), 'the test detects the characters')
        const erasure = { record_id, mode, actor: 'ann' }
        await storage.erasure.eraseRecord(erasure, changeLog(`record.${mode}`))
        assert.equal(await isInIndex(storage), false)
        const search = { substrings: ['other'], prefixes: [] }
        assert.equal((await listRecords(storage, { search })).length, 1500)
      }),
    )
  }

  test(
    'an erasure removes all characters even after an interrupted merge',
    withStorage(sqliteEngine, async (kit) => {
      const { storage } = kit
      const school = await registerTestPlatform(kit)
      const { record_id } = await writeOne(kit, pushWrite(school, { full_name: FIRST_NAME }))
      for (let round = 0; round < 20; round++) {
        const others = Array.from({ length: 100 }, (_, n) =>
          pushWrite(school, {
            reference: `other-${round}-${n}`,
            full_name: `${round} ${n * 7919}`,
          }),
        )
        await write(kit, ...others)
        await indexAll(storage)
      }
      await runSql(storage, `INSERT INTO record_search (record_search, rank) VALUES ('merge', -8)`)
      assert.ok(await isInIndex(storage, FIRST_TERM), 'the test detects the characters')
      const erasure = { record_id, mode: 'erase', actor: 'ann' } as const
      await storage.erasure.eraseRecord(erasure, changeLog('record.erased'))
      assert.equal(await isInIndex(storage, FIRST_TERM), false)
    }),
  )

  test(
    'an erasure removes all characters in every merge state of the index',
    withStorage(sqliteEngine, async (kit) => {
      const { storage } = kit
      const school = await registerTestPlatform(kit)
      const roundsWithTraces = new Set<number>()
      for (let round = 0; round < 40; round += 1) {
        const person = pushWrite(school, { reference: `person-${round}`, full_name: NAME })
        const { record_id } = await writeOne(kit, person)
        const others = Array.from({ length: 60 }, (_, n) =>
          pushWrite(school, {
            reference: `other-${round}-${n}`,
            full_name: `Name ${round * 60 + n}`,
          }),
        )
        await write(kit, ...others)
        await indexAll(storage, 10)
        const erasure = { record_id, mode: 'erase', actor: 'ann' } as const
        await storage.erasure.eraseRecord(erasure, changeLog('record.erased'))
        if (await isInIndex(storage)) roundsWithTraces.add(round)
      }
      assert.deepEqual([...roundsWithTraces], [])
    }),
  )

  test(
    'an erasure completes while records are indexed concurrently',
    withStorage(sqliteEngine, async (kit) => {
      const { storage } = kit
      const school = await registerTestPlatform(kit)
      const { record_id } = await writeOne(kit, pushWrite(school, { full_name: NAME }))
      for (let round = 0; round < 5; round += 1) {
        const some = Array.from({ length: 1000 }, (_, n) =>
          pushWrite(school, {
            reference: `other-${round}-${n}`,
            full_name: `${round} ${n * 7919}`,
          }),
        )
        await write(kit, ...some)
      }
      await storage.searchIndex.indexNext(100)
      let isErased = false
      const indexRecords = async () => {
        while (!isErased && (await storage.searchIndex.indexNext(100)) > 0);
        return (await storage.searchIndex.readSearchIndex()).lag
      }
      const erasing = storage.erasure
        .eraseRecord({ record_id, mode: 'erase', actor: 'ann' }, changeLog('record.erased'))
        .finally(() => {
          isErased = true
        })
      await Promise.all([erasing, indexRecords()])
      assert.equal(await isInIndex(storage), false)
    }),
  )

  test(
    'deletion steps purge the index after a killed erasure and after removing a platform',
    withStorage(sqliteEngine, async (kit) => {
      const school = await registerTestPlatform(kit)
      const { record_id } = await writeOne(kit, pushWrite(school, { full_name: NAME }))
      await indexAll(kit.storage)
      // The state after a process was killed after the last transaction of an erasure.
      await runSql(kit.storage, `DELETE FROM records WHERE record_id = ${record_id}`)
      await runSql(kit.storage, `INSERT INTO pending_purges VALUES (1, 7)`)
      const storage = await kit.reopen()
      assert.ok(await isInIndex(storage))
      assert.equal(await storage.removals.runNextStep(), true)
      assert.equal(await isInIndex(storage), false)
      assert.equal(await storage.removals.runNextStep(), false)

      const reopened = { ...kit, storage }
      await write(reopened, pushWrite(school, { full_name: NAME }))
      await indexAll(storage)
      assert.ok(await isInIndex(storage))
      await removePlatform(reopened, school)
      await runRemovals(storage)
      assert.equal(await isInIndex(storage), false)
    }),
  )
})

async function isInIndex(storage: Storage, term = END_OF_TERM): Promise<boolean> {
  const rows = await runSql(storage, 'SELECT hex(block) AS block FROM record_search_data')
  return rows.some(({ block }) => String(block).includes(term))
}
