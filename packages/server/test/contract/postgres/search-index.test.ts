/** The search index of PostgreSQL with several nodes, open transactions and a missing extension. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ACQUIRE_IN_FLIGHT_LOCK } from '../../../src/storage/postgres/commit-watermark.ts'
import { withTwoNodes } from '../../helpers/postgres/nodes.ts'
import {
  listRecords,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { withDatabase } from '../../helpers/storage/postgres.ts'
import { indexAll } from '../../helpers/storage/search.ts'
import { countRows } from '../../helpers/storage/sql.ts'

const searchFor = (...terms: string[]) => ({ search: { substrings: terms, prefixes: [] } })

describe('the search index of PostgreSQL', () => {
  test(
    'a change that commits after later changes is still indexed',
    withTwoNodes(async ({ url, nodeA }) => {
      const school = await registerTestPlatform(nodeA)
      await write(nodeA, pushWrite(school))
      await indexAll(nodeA.storage)
      await withDatabase(url, async (writer) => {
        await writer.query('BEGIN')
        await writer.query(`SELECT ${ACQUIRE_IN_FLIGHT_LOCK} FROM write_sequence`)
        await writer.query(
          `UPDATE records SET full_name = 'Latecomer', change_seq = nextval('write_sequence')`,
        )
        await write(nodeA, pushWrite(school, { reference: 'r-2' }))
        assert.equal(
          await nodeA.storage.searchIndex.indexNext(10),
          0,
          'the watermark waits for the first change',
        )
        await writer.query('COMMIT')
      })
      assert.equal(await indexAll(nodeA.storage), 2)
      assert.equal((await listRecords(nodeA.storage, searchFor('latecomer'))).length, 1)
    }),
  )

  test(
    'nodes that index concurrently index each record once',
    withTwoNodes(async ({ nodeA, nodeB }) => {
      const school = await registerTestPlatform(nodeA)
      const pushes = Array.from({ length: 200 }, (_, n) =>
        pushWrite(school, { reference: `r-${n}` }),
      )
      await write(nodeA, ...pushes)
      let indexed = 0
      while ((await nodeA.storage.searchIndex.readSearchIndex()).lag > 0) {
        const steps = [nodeA, nodeB].map(({ storage }) => storage.searchIndex.indexNext(20))
        for (const step of await Promise.all(steps)) indexed += step
      }
      assert.equal(indexed, 200)
      assert.equal(await countRows(nodeA.storage, 'record_search'), 200)
    }),
  )

  test(
    'without the text index a search scans the records and reports that there is no index',
    withTwoNodes(async ({ nodeA, observer }) => {
      await observer.query('DROP INDEX record_search_text')
      try {
        const school = await registerTestPlatform(nodeA)
        await write(
          nodeA,
          pushWrite(school),
          pushWrite(school, { reference: 'r-2', full_name: 'Bob' }),
        )
        assert.equal((await nodeA.storage.searchIndex.readSearchIndex()).has_text_index, false)
        assert.equal((await listRecords(nodeA.storage, searchFor('bob'))).length, 1)
        assert.equal(await indexAll(nodeA.storage), 2)
      } finally {
        await observer.query(
          'CREATE INDEX record_search_text ON record_search USING gin (text gin_trgm_ops)',
        )
      }
    }),
  )
})
