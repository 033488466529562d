import { type Kysely, sql } from 'kysely'

/** Records that are no more, and views for readers with SQL. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* A deletion is a change with a number of its own; it names the record by its id alone. */
  `CREATE TABLE record_deletions (
    change_seq INTEGER PRIMARY KEY,
    record_id INTEGER NOT NULL,
    platform_id INTEGER NOT NULL,
    module_id INTEGER NOT NULL,
    platform_name TEXT NOT NULL,
    record_type TEXT NOT NULL,
    at TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX record_deletions_of_platform
    ON record_deletions (platform_name, change_seq)`,

  /* The views that were made for readers with SQL, each with the statement that made it. */
  `CREATE TABLE sql_views (
    view_name TEXT PRIMARY KEY,
    definition TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
]
