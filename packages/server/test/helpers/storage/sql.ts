/**
 * States that no method of the port makes yet (a revoked key, a record that went missing), made in
 * the database that the port hands to Better Auth. Only SQL that every engine understands.
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

/** A Kysely such as Better Auth has. Not to be destroyed: its connection is the storage's. */
export function authKysely(storage: Storage): Kysely<Record<string, Record<string, unknown>>> {
  return new Kysely({ dialect: storage.operators.authDatabase.dialect })
}

export async function countRows(storage: Storage, table: string): Promise<number> {
  const [row] = await runSql(storage, `SELECT count(*) AS n FROM ${table}`)
  return Number(row?.['n'])
}
