import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type CompiledQuery, Kysely } from 'kysely'
import { parseRecordQuery } from '../../../src/domain/record/record-query.ts'
import { createRecordListStore } from '../../../src/storage/shared/record-list/record-list-store.ts'
import type { Tables } from '../../../src/storage/shared/schema/tables.ts'
import { openConnections } from '../../../src/storage/sqlite/connection.ts'
import { createRecordListDialect } from '../../../src/storage/sqlite/record-search.ts'
import { searchFileOf } from '../../../src/storage/sqlite/search-file.ts'
import { createSearchReader } from '../../../src/storage/sqlite/search-reader.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { recordQuery } from '../../helpers/storage/fixtures.ts'
import { openTemporarySqlite } from '../../helpers/storage/sqlite.ts'

test('a lookup by reference or name reads an index of each module, and not all records', async () => {
  const { path, close } = await openTemporarySqlite(new TestClock())
  const connections = openConnections(path)
  const queries: CompiledQuery[] = []
  const reader = new Kysely<Tables>({
    dialect: connections.writerDialect,
    log: ({ query }) => void queries.push(query),
  })
  const index = { path: searchFileOf(path), databasePath: path, databaseId: '' }
  const dialect = createRecordListDialect(createSearchReader(index, () => undefined))
  const lists = createRecordListStore({ reader }, dialect)
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    for (const text of [
      'reference_number=R-1',
      'filter[hub_reference_number][starts]=R-',
      'filter[hub_full_name]=Ann',
      'filter[hub_full_name][starts]=A',
    ]) {
      const parsed = parseRecordQuery(new URLSearchParams(text))
      assert.ok(parsed.ok)
      queries.length = 0
      await lists.listRecords(recordQuery(parsed.query))
      const plan = queries.flatMap(({ sql }) =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map((row) => String(row['detail'])),
      )
      assert.ok(
        plan.some((step) => step.startsWith('SEARCH r ')),
        text,
      )
      assert.deepEqual(
        plan.filter((step) => /^SCAN (?:r|records)\b/.test(step)),
        [],
        text,
      )
    }
  } finally {
    database.close()
    await connections.close()
    await close()
  }
})
