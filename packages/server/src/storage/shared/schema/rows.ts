/** Statements about the rows of one table that have given values. Others are written with Kysely. */
import { isOperationNodeSource, type RawBuilder, type SelectType, sql } from 'kysely'
import type { Executor } from './databases.ts'
import type { Tables } from './tables.ts'

type Name = keyof Tables & string
type Column<Table extends Name> = keyof Tables[Table] & string
type Row<Table extends Name> = { [Key in Column<Table>]: SelectType<Tables[Table][Key]> }

/**
 * The values of the rows: null for none; a list, which must not be empty, for one of several. An expression is the rest of a
 * condition, such as sql`> ${at}`.
 */
type Match<Table extends Name> = {
  [Key in Column<Table>]?: Row<Table>[Key] | readonly Row<Table>[Key][] | RawBuilder<unknown>
}

/** The new values of columns, or expressions for them. */
type Change<Table extends Name> = { [Key in Column<Table>]?: Row<Table>[Key] | RawBuilder<unknown> }

/** Reads columns of all rows that match, in no particular order. */
export async function listRows<Table extends Name, Key extends Column<Table>>(
  db: Executor,
  table: Table,
  match: Match<Table>,
  columns: readonly Key[],
): Promise<Pick<Row<Table>, Key>[]> {
  const { rows } = await sql<Pick<Row<Table>, Key>>`
    SELECT ${sql.join(columns.map((column) => sql.ref(column)))} FROM ${sql.table(table)}
    WHERE ${matches(match)}`.execute(db)
  return rows
}

/** Reads columns of the row that matches, or of one of them; null if there is none. */
export async function findRow<Table extends Name, Key extends Column<Table>>(
  db: Executor,
  table: Table,
  match: Match<Table>,
  columns: readonly Key[],
): Promise<Pick<Row<Table>, Key> | null> {
  const { rows } = await sql<Pick<Row<Table>, Key>>`
    SELECT ${sql.join(columns.map((column) => sql.ref(column)))} FROM ${sql.table(table)}
    WHERE ${matches(match)} LIMIT 1`.execute(db)
  return rows[0] ?? null
}

export async function countRows<Table extends Name>(
  db: Executor,
  table: Table,
  match: Match<Table>,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM ${sql.table(table)} WHERE ${matches(match)}`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

/** Both are null without rows. */
export type IdRange = { first: number | null; last: number | null }

/** Reads the lowest and the highest id. In one SELECT without subqueries, SQLite would read the whole table for both. */
export async function readIdRange<Table extends Name>(
  db: Executor,
  table: Table,
  id: Column<Table>,
): Promise<IdRange> {
  const from = sql`FROM ${sql.table(table)}`
  const { rows } = await sql<IdRange>`
    SELECT (SELECT min(${sql.ref(id)}) ${from}) AS first,
      (SELECT max(${sql.ref(id)}) ${from}) AS last`.execute(db)
  return rows[0] ?? { first: null, last: null }
}

/** @returns the number of rows that match, whether they change or not. */
export async function updateRows<Table extends Name>(
  db: Executor,
  table: Table,
  match: Match<Table>,
  change: Change<Table>,
): Promise<number> {
  const values = Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const { numAffectedRows = 0n } = await sql`
    UPDATE ${sql.table(table)} SET ${sql.join(values)} WHERE ${matches(match)}`.execute(db)
  return Number(numAffectedRows)
}

/** @returns the number of deleted rows. */
export async function deleteRows<Table extends Name>(
  db: Executor,
  table: Table,
  match: Match<Table>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ${matches(match)}`.execute(db)
  return Number(numAffectedRows)
}

function matches(match: object): RawBuilder<boolean> {
  const conditions = Object.entries(match).map(([name, value]) => {
    if (value === null) return sql`${sql.ref(name)} IS NULL`
    if (Array.isArray(value)) return sql`${sql.ref(name)} IN (${sql.join(value)})`
    if (isOperationNodeSource(value)) return sql`${sql.ref(name)} ${value}`
    return sql`${sql.ref(name)} = ${value}`
  })
  return sql<boolean>`${sql.join(conditions, sql` AND `)}`
}
