/** What only SQLite has to do for its search index: what it drops stands in the index of texts until that is merged. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Storage } from '../../src/storage/port/storage.ts'
import { withStorage } from '../helpers/storage-engine.ts'
import {
  changeLog,
  listRecords,
  pushWrite,
  registerTestPlatform,
  write,
  writeOne,
} from '../helpers/storage-fixtures.ts'
import { indexAll } from '../helpers/storage-search.ts'
import { runSql } from '../helpers/storage-sql.ts'
import { sqliteEngine } from '../helpers/storage-sqlite.ts'

/** Letters that nobody else has. Of each term the index leaves out what it shares with the one before it. */
const NAME = '\u{10000}\u{10001}\u{10002}\u{10003}\u{10004}'
const END_OF_TERM = Buffer.from('\u{10002}\u{10003}').toString('hex').toUpperCase()

describe('the search index of SQLite', () => {
  for (const mode of ['erase', 'anonymise'] as const) {
    test(
      `no letters of a record are left in it after ${mode}`,
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
        assert.ok(await isInIndex(storage), 'the test would see it')
        const order = { record_id, mode, actor: 'ann' }
        await storage.erasure.eraseRecord(order, changeLog(`record.${mode}`))
        assert.equal(await isInIndex(storage), false)
        const search = { parts: ['other'], beginnings: [] }
        assert.equal((await listRecords(storage, { search })).length, 1500)
      }),
    )
  }
})

async function isInIndex(storage: Storage): Promise<boolean> {
  const rows = await runSql(storage, 'SELECT hex(block) AS block FROM record_search_data')
  return rows.some(({ block }) => String(block).includes(END_OF_TERM))
}
