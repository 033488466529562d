import { type Kysely, sql } from 'kysely'

/** Alerts, what they are found by, and the indexes by which old rows are found and dropped. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  `CREATE TABLE alerts (
    alert_id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    platform_id INTEGER,
    platform_name TEXT,
    message TEXT NOT NULL,
    raised_at TEXT NOT NULL,
    resolved_at TEXT,
    acknowledged_at TEXT,
    acknowledged_by TEXT,
    raise_mailed_at TEXT,
    resolve_mailed_at TEXT
  ) STRICT`,
  /* The lock: an alert is raised once, however many nodes find it. */
  'CREATE UNIQUE INDEX alerts_open ON alerts (kind, subject) WHERE resolved_at IS NULL',
  'CREATE INDEX alerts_open_by_id ON alerts (alert_id) WHERE resolved_at IS NULL',
  'CREATE INDEX alerts_resolved ON alerts (resolved_at) WHERE resolved_at IS NOT NULL',
  `CREATE INDEX alerts_over_unmailed ON alerts (alert_id)
    WHERE resolved_at IS NOT NULL AND raise_mailed_at IS NOT NULL AND resolve_mailed_at IS NULL`,

  /* When the row of pulls began in which nothing of the platform could be read. */
  'ALTER TABLE platforms ADD COLUMN failing_since TEXT',
  'UPDATE platforms SET failing_since = failed_at WHERE failures_in_row > 0',

  /* From when on rows of a kind are whole; none where nothing was dropped. */
  `CREATE TABLE retention (
    noun TEXT PRIMARY KEY,
    kept_since TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,

  'CREATE INDEX record_history_by_change ON record_history (change_seq)',
  'CREATE INDEX rejected_pushes_by_age ON rejected_pushes (at, rejected_push_id)',
  `CREATE INDEX missing_reviews_closed ON missing_reviews (closed_at)
    WHERE closed_at IS NOT NULL`,
]
