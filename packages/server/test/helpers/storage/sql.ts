/**
 * SQL that both engines support, for states that no method of the port creates, such as a revoked key. It runs on the
 * connection that the port provides for Better Auth.
 */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, Kysely } from 'kysely'
import type { Storage } from '../../../src/storage/port/storage.ts'

export async function runSql(
  storage: Storage,
  statement: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await authKysely(storage).executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(statement),
  )
  return rows
}

/** The Kysely instance of Better Auth. Do not destroy it, because it uses the connection of the storage. */
export function authKysely(storage: Storage): Kysely<Record<string, Record<string, unknown>>> {
  return new Kysely({ dialect: storage.operators.authDatabase.dialect })
}

/**
 * Reads the view of each module, in the order of the records: on PostgreSQL the views that the hub keeps, on SQLite those
 * that a reader creates on a connection of its own (docs/sql-access.md).
 */
export async function readSqlViews(
  storage: Storage,
): Promise<Map<string, Record<string, unknown>[]>> {
  const read = (view: string) => `SELECT * FROM ${view} ORDER BY hub_record_id`
  assert.deepEqual(await storage.sqlViews.refreshViews(), [])
  const views = new Map<string, Record<string, unknown>[]>()
  if ((await storage.readEngine()).engine === 'postgres') {
    const names = `SELECT viewname FROM pg_views WHERE schemaname = 'recordhub_views' ORDER BY 1`
    for (const { viewname } of await runSql(storage, names)) {
      const name = String(viewname)
      views.set(name, await runSql(storage, read(`recordhub_views."${name}"`)))
    }
    return views
  }
  const [main] = await runSql(storage, `SELECT file FROM pragma_database_list WHERE name = 'main'`)
  using reader = new DatabaseSync(String(main?.['file']), { readOnly: true })
  const defined = await Array.fromAsync(storage.sqlViews.defineViews(null))
  for (const { statement } of defined) reader.exec(statement)
  for (const view_name of defined.map((view) => view.view_name).toSorted()) {
    const select = reader.prepare(read(`"${view_name}"`))
    select.setReadBigInts(true)
    views.set(view_name, select.all())
  }
  return views
}

export async function countRows(storage: Storage, table: string): Promise<number> {
  const [row] = await runSql(storage, `SELECT count(*) AS n FROM ${table}`)
  return Number(row?.['n'])
}
