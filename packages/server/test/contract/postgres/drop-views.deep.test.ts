/** More views than one transaction can lock. */
import assert from 'node:assert/strict'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { dropViews } from '../../../src/storage/postgres/restore.ts'
import type { Tables } from '../../../src/storage/shared/schema/tables.ts'
import { test } from '../../helpers/postgres/nodes.ts'

test('10,000 views are created, deleted and dropped by a restore without running out of locks', async (nodes) => {
  const { url, observer, nodeA } = nodes
  const { refreshViews } = nodeA.storage.sqlViews
  const countViews = async () =>
    (await observer.query(`SELECT FROM pg_views WHERE schemaname = 'recordhub_views'`)).rowCount
  await nodeA.register()
  await observer.query(`INSERT INTO modules (platform_id, record_type, module_name, description, fields, position, registered_at)
    SELECT platform_id, 'type-' || i, module_name, description, fields, position, registered_at
    FROM modules, generate_series(2, 10000) AS i`)
  assert.deepEqual(await refreshViews(), [])
  assert.equal(await countViews(), 10_000)
  // Renames all: each view is deleted, and one of another name is created.
  await observer.query(`UPDATE platforms SET platform_name = 'college'`)
  assert.deepEqual(await refreshViews(), [])
  assert.equal(await countViews(), 10_000)
  await assert.rejects(observer.query('DROP SCHEMA recordhub_views CASCADE'), { code: '53200' })
  // The error arrives before the server has released the locks; this result arrives afterwards.
  await observer.query('SELECT 1')
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 1 }) }),
  })
  try {
    await dropViews(db, 'recordhub_views')
  } finally {
    await db.destroy()
  }
  const { rowCount } = await observer.query(
    `SELECT 1 FROM pg_namespace WHERE nspname = 'recordhub_views'`,
  )
  assert.equal(rowCount, 0)
})
