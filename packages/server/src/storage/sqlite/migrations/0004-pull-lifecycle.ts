import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* When a pull's process last renewed its lease. */
  'ALTER TABLE pulls ADD COLUMN renewed_at TEXT',
  /* How many records the module had when the pull was planned. */
  'ALTER TABLE pull_tasks ADD COLUMN expected INTEGER',
  /* What an operator has switched on, such as a pause of the schedule. */
  `CREATE TABLE switches (
    name TEXT PRIMARY KEY,
    since TEXT NOT NULL,
    actor TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
]
