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
    withTwoNodes(async ({ url, here }) => {
      const school = await registerTestPlatform(here)
      await write(here, pushWrite(school))
      await indexAll(here.storage)
      await withDatabase(url, async (writer) => {
        await writer.query('BEGIN')
        await writer.query(`SELECT ${ACQUIRE_IN_FLIGHT_LOCK} FROM write_sequence`)
        await writer.query(
          `UPDATE records SET full_name = 'Latecomer', change_seq = nextval('write_sequence')`,
        )
        await write(here, pushWrite(school, { reference: 'r-2' }))
        assert.equal(await here.storage.searchIndex.indexTexts(10), 0, 'nothing is settled yet')
        await writer.query('COMMIT')
      })
      assert.equal(await indexAll(here.storage), 2)
      assert.equal((await listRecords(here.storage, { search: ['latecomer'] })).length, 1)
    }),
  )

  test(
    'nodes that index concurrently process each record once',
    withTwoNodes(async ({ here, there }) => {
      const school = await registerTestPlatform(here)
      const pushes = Array.from({ length: 200 }, (_, n) =>
        pushWrite(school, { reference: `r-${n}` }),
      )
      await write(here, ...pushes)
      let taken = 0
      while ((await here.storage.searchIndex.readSearchIndex()).lag > 0) {
        const steps = [here, there].map(({ storage }) => storage.searchIndex.indexTexts(20))
        for (const step of await Promise.all(steps)) taken += step
      }
      assert.equal(taken, 200)
      assert.equal(await countIndexedTexts(here.storage), 200)
    }),
  )

  test(
    'the syntax of text search queries has no effect in a search',
    withTwoNodes(async ({ here: kit }) => {
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
