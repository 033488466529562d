/** Dropping more views than one transaction can lock. */
import assert from 'node:assert/strict'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { dropViews } from '../../../src/storage/postgres/restore.ts'
import type { Tables } from '../../../src/storage/shared/schema/tables.ts'
import { test } from '../../helpers/postgres/nodes.ts'

test('a restore drops 10,000 views without running out of locks', async ({ url, observer }) => {
  await observer.query('CREATE SCHEMA old_views')
  for (let first = 1; first <= 10_000; first += 500) {
    await observer.query(`DO $$ BEGIN FOR i IN ${first}..${first + 499} LOOP
      EXECUTE format('CREATE VIEW old_views.v_%s AS SELECT 1 AS one', i); END LOOP; END $$`)
  }
  await assert.rejects(observer.query('DROP SCHEMA old_views CASCADE'), { code: '53200' })
  // The error arrives before the server has released the locks; this result arrives afterwards.
  await observer.query('SELECT 1')
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 1 }) }),
  })
  try {
    await dropViews(db, 'old_views')
  } finally {
    await db.destroy()
  }
  const { rowCount } = await observer.query(
    `SELECT 1 FROM pg_namespace WHERE nspname = 'old_views'`,
  )
  assert.equal(rowCount, 0)
})
