import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* When a pull's process last renewed its lease. */
  'ALTER TABLE pulls ADD COLUMN renewed_at TEXT',
  /* How many records the module had when the pull was planned. */
  'ALTER TABLE pull_tasks ADD COLUMN expected INTEGER',
  /* What was wrong at the module's last read, in words, so that it is told once. */
  'ALTER TABLE modules ADD COLUMN last_trouble TEXT',
  /* Pulls in a row in which nothing of the platform could be read, and when the last one was. */
  'ALTER TABLE platforms ADD COLUMN failures_in_row INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE platforms ADD COLUMN failed_at TEXT',
  /* What an operator has switched on, such as a pause of the schedule. */
  `CREATE TABLE switches (
    name TEXT PRIMARY KEY,
    since TEXT NOT NULL,
    actor TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
]
