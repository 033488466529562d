import { type Kysely, sql } from 'kysely'

/** Counts of requests that the receiver rejected, and the addresses from which platforms push. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* platform_id 0, key_hint '' and address '' stand for none. */
  `CREATE TABLE push_errors (
    push_error_id INTEGER PRIMARY KEY AUTOINCREMENT,
    hour TEXT NOT NULL,
    reason TEXT NOT NULL,
    platform_id INTEGER NOT NULL,
    key_hint TEXT NOT NULL,
    address TEXT NOT NULL,
    requests INTEGER NOT NULL,
    last_at TEXT NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX push_errors_sender
    ON push_errors (hour, reason, platform_id, key_hint, address)`,

  `CREATE TABLE push_addresses (
    platform_id INTEGER NOT NULL,
    address TEXT NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (platform_id, address)
  ) STRICT, WITHOUT ROWID`,
]
