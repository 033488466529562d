/**
 * Replaces the tables of a hub by those of a backup. The backup is loaded into a schema of its own; one transaction
 * exchanges the tables. If the process is killed, either the old tables or the restored ones are in place.
 */
import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { HashReference } from '../../domain/record/erasure.ts'
import { HubError, messageOf } from '../../errors.ts'
import type { Restored, RestoreRequest } from '../port/backup-store.ts'
import type { StoredTombstone } from '../port/deletion-store.ts'
import { findReferencesKey } from '../shared/backup/check-backup.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { dropSchema, loadIntoSchema, urlWithSchema } from './backup.ts'
import { describeServer, withUnlimited } from './connection.ts'
import { isOnlyProcess } from './locks.ts'
import { openPostgres } from './storage.ts'
import { waitForDatabase } from './wait-for-database.ts'

const SCHEMA = 'recordhub_restore'

/** @throws HubError as `restoreSqlite`. */
export async function restorePostgres(url: string, request: RestoreRequest): Promise<Restored> {
  await waitForDatabase(url, { seconds: 0 }, () => undefined)
  const { server, database: name } = describeServer(url)
  const path = `${server}/${name}`
  try {
    return await withUnlimited(url, async (database) => {
      await assertNoHub(database, path)
      const hasData = await findData(database)
      if (hasData && !request.force) throw new HubError('restore_would_overwrite', { path })
      const info = await loadIntoSchema(url, SCHEMA, request)
      const copyUrl = urlWithSchema(url, SCHEMA)
      const { fingerprint, secrets } = { fingerprint: info.secret_fingerprint, ...request }
      const hashReference = await withUnlimited(copyUrl, async (copy) => {
        const { rows } = await sql<{ ciphertext: string }>`
          SELECT ciphertext FROM secrets WHERE purpose = 'erased references'
        `.execute(copy)
        return findReferencesKey(rows[0]?.ciphertext ?? null, { secrets, fingerprint })
      })
      const old = await readTombstones(database)
      const deps = { hashReference, timeZone: request.timeZone }
      const { erased, added } = await eraseAgain(copyUrl, old.tombstones, deps)
      await withUnlimited(copyUrl, adaptToNewStart)
      const kept = await exchange(database, path)
      return { info, kept: hasData ? kept : null, erased, tombstones: added, unread: old.unread }
    })
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new HubError('restore_failed', { reason: messageOf(error) }, { cause: error })
  } finally {
    await dropSchema(url, SCHEMA).catch(() => undefined)
  }
}

async function assertNoHub(db: Kysely<Tables>, path: string): Promise<void> {
  if (!(await isOnlyProcess(db, randomUUID()))) throw new HubError('restore_hub_running', { path })
}

/** Whether the database contains operators, platforms or records. */
async function findData(db: Kysely<Tables>): Promise<boolean> {
  for (const table of ['operators', 'platforms', 'records', 'tombstones'] as const) {
    if (!(await hasTable(db, table))) continue
    const { rows } = await sql`SELECT 1 FROM ${sql.ref(table)} LIMIT 1`.execute(db)
    if (rows.length > 0) return true
  }
  return false
}

async function hasTable(db: Kysely<Tables>, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT to_regclass(quote_ident(current_schema()) || '.' || ${name}) IS NOT NULL AS found
  `.execute(db)
  return rows[0]?.found ?? false
}

async function readTombstones(
  db: Kysely<Tables>,
): Promise<{ tombstones: StoredTombstone[]; unread: string | null }> {
  try {
    if (!(await hasTable(db, 'tombstones'))) return { tombstones: [], unread: null }
    const tombstones = await db
      .selectFrom('tombstones')
      .select([
        'reference_hash',
        'platform_name',
        'record_type',
        'mode',
        'record_id',
        'at',
        'actor',
      ])
      .orderBy('tombstone_id')
      .execute()
    return { tombstones, unread: null }
  } catch (error) {
    return { tombstones: [], unread: messageOf(error) }
  }
}

async function eraseAgain(
  url: string,
  tombstones: StoredTombstone[],
  { hashReference, timeZone }: { hashReference: HashReference | null; timeZone: string },
): Promise<{ erased: number; added: number }> {
  if (tombstones.length === 0 || !hashReference) return { erased: 0, added: 0 }
  const waiting = { seconds: 0 }
  const warn = () => undefined
  const storage = await openPostgres({ url, asHub: true, timeZone, waiting, warn, hashReference })
  try {
    return await storage.erasure.importTombstones(tombstones)
  } finally {
    await storage.close()
  }
}

/** Resets what belongs to the processes and indexes of the hub that made the backup. */
async function adaptToNewStart(db: Kysely<Tables>): Promise<void> {
  // Sessions that were ended after the backup must not become valid again.
  await db.deleteFrom('operator_sessions').execute()
  await db.deleteFrom('leases').execute()
  // The backup does not contain the text index.
  await db.deleteFrom('change_feed_positions').where('consumer', 'like', 'text index%').execute()
  // pg-boss does not have the jobs of these pulls: the next start ends them as interrupted.
  await db
    .updateTable('pulls')
    .set({ state: 'running', lease_owner: 'restore', lease_until: '2000-01-01T00:00:00.000Z' })
    .where('state', '=', 'queued')
    .execute()
}

/** Exchanges the tables in one transaction. @returns where the old ones are. */
async function exchange(database: Kysely<Tables>, path: string): Promise<string> {
  const kept = `recordhub_before_restore_${new Date().toISOString().replaceAll(/\D/g, '')}`
  await database.connection().execute(async (db) => {
    const run = (statement: string) => sql.raw(statement).execute(db)
    const { rows } = await sql<{ schema: string }>`
      SELECT quote_ident(current_schema()) AS schema
    `.execute(db)
    const target = rows[0]?.schema ?? 'public'
    await run('BEGIN')
    // A hub that has started meanwhile has the tables open, and its start waits for this transaction.
    if (await hasTable(db, 'kysely_migration')) {
      await run('LOCK TABLE kysely_migration, kysely_migration_lock IN ACCESS EXCLUSIVE MODE')
    }
    await assertNoHub(db, path)
    const oldViews = `${kept}_views`
    const hasViews = await sql`SELECT WHERE to_regnamespace('recordhub_views') IS NOT NULL`.execute(
      db,
    )
    if (hasViews.rows.length > 0) await run(`ALTER SCHEMA recordhub_views RENAME TO ${oldViews}`)
    await run(`CREATE SCHEMA ${kept}`)
    const objects = await listObjects(db, target)
    for (const { kind, name } of objects.filter(({ is_replaced }) => is_replaced)) {
      await run(`ALTER ${kind} ${target}.${name} SET SCHEMA ${kept}`)
    }
    for (const { kind, name } of objects) {
      await run(`ALTER ${kind} ${SCHEMA}.${name} SET SCHEMA ${target}`)
    }
    await run(`DROP SCHEMA ${SCHEMA}`)
    await run('COMMIT')
    if (hasViews.rows.length > 0) await dropViews(db, oldViews)
  })
  return `the schema ${kept} of ${path}`
}

/** Maximum number of views that one transaction drops. Each needs locks, of which the server has a few thousand. */
const DROPPED_VIEWS = 200

/** Drops a schema of views. One transaction for all of them would run out of locks (`max_locks_per_transaction`). */
export async function dropViews(db: Kysely<Tables>, schema: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ name: string }>`
      SELECT format('%I.%I', schemaname, viewname) AS name FROM pg_views
      WHERE schemaname = ${schema} LIMIT ${DROPPED_VIEWS}
    `.execute(db)
    if (rows.length === 0) break
    const names = rows.map(({ name }) => name).join(', ')
    await sql.raw(`DROP VIEW IF EXISTS ${names} CASCADE`).execute(db)
  }
  await sql.raw(`DROP SCHEMA ${schema} CASCADE`).execute(db)
}

type SchemaObject = { kind: string; name: string; is_replaced: boolean }

/** Lists what the restored schema contains, without what moves with its table, and whether the target has it, too. */
async function listObjects(db: Kysely<Tables>, target: string): Promise<SchemaObject[]> {
  const { rows } = await sql<SchemaObject>`
    WITH restored AS (
      SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
        quote_ident(relname) AS name
      FROM pg_class c
      WHERE relnamespace = ${SCHEMA}::regnamespace AND relkind IN ('r', 'S')
        AND NOT EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
            AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
        )
      UNION ALL
      SELECT 'FUNCTION', format('%I(%s)', proname, oidvectortypes(proargtypes))
      FROM pg_proc WHERE pronamespace = ${SCHEMA}::regnamespace
    )
    SELECT kind, name, CASE kind
      WHEN 'FUNCTION' THEN to_regprocedure(${target} || '.' || name) IS NOT NULL
      ELSE to_regclass(${target} || '.' || name) IS NOT NULL END AS is_replaced
    FROM restored
  `.execute(db)
  return rows
}
