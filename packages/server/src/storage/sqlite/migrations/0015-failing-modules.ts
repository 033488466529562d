import { type Kysely, sql } from 'kysely'

/** Since when, and in how many pulls in a row, a module could not be read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  'ALTER TABLE modules ADD COLUMN failures_in_row INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE modules ADD COLUMN failing_since TEXT',
]
