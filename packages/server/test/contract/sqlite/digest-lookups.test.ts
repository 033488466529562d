import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type CompiledQuery, Kysely } from 'kysely'
import { createDigestStore } from '../../../src/storage/shared/records/digest-store.ts'
import type { Tables } from '../../../src/storage/shared/schema/tables.ts'
import { openConnections } from '../../../src/storage/sqlite/connection.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { openTemporarySqlite } from '../../helpers/storage/sqlite.ts'

test('sums are read without records, finer ones from an index, and a bucket without the rest of its module', async () => {
  const { path, close } = await openTemporarySqlite(new TestClock())
  const connections = openConnections(path)
  const queries: CompiledQuery[] = []
  const reader = new Kysely<Tables>({
    dialect: connections.writerDialect,
    log: ({ query }) => void queries.push(query),
  })
  const digests = createDigestStore({ ...connections, reader, writer: reader })
  const database = new DatabaseSync(path, { readOnly: true })
  const module = { platform_id: 1, module_id: 1 }
  const after = { reference_hash: 5, record_id: 5 }
  const planOf = async (read: () => Promise<unknown>) => {
    queries.length = 0
    await read()
    return queries.flatMap(({ sql }) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
      return plan
        .map((row) => String(row['detail']))
        .filter((step) => /^(?:SEARCH|SCAN) (?:records|marked|digest_sums)\b/.test(step))
    })
  }
  try {
    assert.deepEqual(await planOf(() => digests.readSums(module, 3)), [
      'SEARCH digest_sums USING PRIMARY KEY (platform_id=? AND module_id=?)',
    ])
    assert.deepEqual(await planOf(() => digests.readFinerSums(module, ['3f4'], 5)), [
      'SEARCH records USING COVERING INDEX records_digest (platform_id=? AND module_id=? AND reference_hash>? AND reference_hash<?)',
    ])
    assert.deepEqual(await planOf(() => digests.listUnversioned(module, 3)), [
      'SEARCH records USING INDEX records_unversioned (platform_id=? AND module_id=? AND reference_hash>?)',
    ])
    assert.deepEqual(
      await planOf(() => digests.listBucketRecords(module, { prefix: '3f4', after, limit: 5 })),
      [
        'SEARCH records USING INDEX records_digest (platform_id=? AND module_id=? AND reference_hash>? AND reference_hash<?)',
      ],
    )
    assert.deepEqual(await planOf(() => digests.readTotals(module)), [
      'SEARCH marked USING INDEX records_missing (platform_id=? AND module_id=? AND record_id>?)',
      'SEARCH records USING INDEX records_unversioned (platform_id=? AND module_id=? AND reference_hash>?)',
    ])
  } finally {
    database.close()
    await connections.close()
    await close()
  }
})
