/** The search index of PostgreSQL: several nodes, open transactions, the syntax of its queries. */
import assert from 'node:assert/strict'
import { ACQUIRE_IN_FLIGHT_LOCK } from '../../../src/storage/postgres/commit-watermark.ts'
import { openWorker } from '../../../src/storage/postgres/connection.ts'
import { createTextIndex } from '../../../src/storage/postgres/text-index.ts'
import { withDatabase } from '../../helpers/postgres/database.ts'
import { test } from '../../helpers/postgres/nodes.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'
import { countIndexedTexts } from '../../helpers/storage/search.ts'

test('a change that commits after later changes is still indexed', async ({ url, nodeA }) => {
  const school = await nodeA.register()
  await school.post()
  await nodeA.indexAll()
  await withDatabase(url, async (writer) => {
    await writer.query('BEGIN')
    await writer.query(`SELECT ${ACQUIRE_IN_FLIGHT_LOCK} FROM write_sequence`)
    await writer.query(
      `UPDATE records SET full_name = 'Latecomer', change_seq = nextval('write_sequence')`,
    )
    await school.post({ reference: 'r-2' })
    assert.equal(
      await nodeA.storage.searchIndex.indexTexts(10),
      0,
      'the watermark waits for the first change',
    )
    await writer.query('COMMIT')
  })
  assert.equal(await nodeA.indexAll(), 2)
  assert.equal((await nodeA.records({ search: ['latecomer'] })).length, 1)
})

test('nodes that index concurrently index each record once', async ({ nodeA, nodeB }) => {
  const school = await nodeA.register()
  const pushes = Array.from({ length: 200 }, (_, n) => pushWrite(school, { reference: `r-${n}` }))
  await nodeA.write(...pushes)
  let indexed = 0
  while ((await nodeA.storage.searchIndex.readSearchIndex()).lag > 0) {
    const steps = [nodeA, nodeB].map(({ storage }) => storage.searchIndex.indexTexts(20))
    for (const step of await Promise.all(steps)) indexed += step
  }
  assert.equal(indexed, 200)
  assert.equal(await countIndexedTexts(nodeA.storage), 200)
})

test('a step that ends early because records are large says that more is left', async ({
  url,
  nodeA,
}) => {
  const school = await nodeA.register()
  await nodeA.write(...['r-1', 'r-2'].map((reference) => pushWrite(school, { reference })))
  const { database: writer, close } = openWorker(url)
  try {
    const { indexNext } = createTextIndex({ writer }, 1)
    assert.equal(await indexNext(10), 10)
    assert.equal(await countIndexedTexts(nodeA.storage), 1)
    assert.equal(await indexNext(10), 10)
    assert.equal(await indexNext(10), 0)
  } finally {
    await close()
  }
})

test('the syntax of text search queries has no effect in a search', async ({ nodeA: kit }) => {
  const school = await kit.register()
  const names = ["it's", 'a\\b', "x' | 'y", 'a & !b', 'c:*', 'd <-> e', '(f)']
  const pushes = names.map((full_name, n) => pushWrite(school, { reference: `r-${n}`, full_name }))
  await kit.write(...pushes)
  await kit.indexAll()
  for (const [n, name] of names.entries()) {
    const rows = await kit.records({ search: [name] })
    assert.deepEqual(
      rows.map((row) => row.reference_number),
      [`r-${n}`],
      name,
    )
  }
})
