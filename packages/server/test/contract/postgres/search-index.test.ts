/** The search index of PostgreSQL: several nodes, open transactions, the syntax of its queries. */
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
import { countIndexedTexts, indexAll } from '../../helpers/storage/search.ts'

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
          await nodeA.storage.searchIndex.indexTexts(10),
          0,
          'the watermark waits for the first change',
        )
        await writer.query('COMMIT')
      })
      assert.equal(await indexAll(nodeA.storage), 2)
      assert.equal((await listRecords(nodeA.storage, { search: ['latecomer'] })).length, 1)
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
        const steps = [nodeA, nodeB].map(({ storage }) => storage.searchIndex.indexTexts(20))
        for (const step of await Promise.all(steps)) indexed += step
      }
      assert.equal(indexed, 200)
      assert.equal(await countIndexedTexts(nodeA.storage), 200)
    }),
  )

  test(
    'the syntax of text search queries has no effect in a search',
    withTwoNodes(async ({ nodeA: kit }) => {
      const school = await registerTestPlatform(kit)
      const names = ["it's", 'a\\b', "x' | 'y", 'a & !b', 'c:*', 'd <-> e', '(f)']
      const pushes = names.map((full_name, n) =>
        pushWrite(school, { reference: `r-${n}`, full_name }),
      )
      await write(kit, ...pushes)
      await indexAll(kit.storage)
      for (const [n, name] of names.entries()) {
        const rows = await listRecords(kit.storage, { search: [name] })
        assert.deepEqual(
          rows.map((row) => row.reference_number),
          [`r-${n}`],
          name,
        )
      }
    }),
  )
})
