/**
 * SQL that both engines support, for states that no method of the port creates, such as a revoked key. It runs on the
 * connection that the port provides for Better Auth.
 */
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

export async function countRows(storage: Storage, table: string): Promise<number> {
  const [row] = await runSql(storage, `SELECT count(*) AS n FROM ${table}`)
  return Number(row?.['n'])
}
