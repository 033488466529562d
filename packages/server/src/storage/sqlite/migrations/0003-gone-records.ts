import { type Kysely, sql } from 'kysely'

/** Marks of records that are gone, the questions about them, and what the read before did not meet. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* Holds the marked ones only, so that it costs other records nothing. */
  `CREATE INDEX records_missing ON records (platform_id, module_id, record_id)
    WHERE missing_since IS NOT NULL`,

  `CREATE TABLE missing_reviews (
    missing_review_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL,
    module_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    missing INTEGER NOT NULL,
    records INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    pull_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    answered_at TEXT,
    answered_by TEXT,
    closed_at TEXT
  ) STRICT`,
  /* At most one open question a module. */
  `CREATE UNIQUE INDEX missing_reviews_open ON missing_reviews (module_id)
    WHERE closed_at IS NULL`,
  `CREATE INDEX missing_reviews_pending ON missing_reviews (platform_id)
    WHERE state = 'pending'`,

  /* record_ids: a JSON list of what the last complete read of several pages did not meet. */
  `CREATE TABLE missing_suspects (
    module_id INTEGER PRIMARY KEY,
    platform_id INTEGER NOT NULL,
    record_ids TEXT NOT NULL
  ) STRICT`,
]
