import { type Kysely, sql } from 'kysely'

/** What differs from the manifests, of themselves and of the records, and what is proved complete. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* When a pull last asked for it, whatever came of that. */
  'ALTER TABLE platforms ADD COLUMN manifest_asked_at TEXT',
  'ALTER TABLE modules ADD COLUMN added_at TEXT',
  'ALTER TABLE modules ADD COLUMN removed_at TEXT',
  "ALTER TABLE modules ADD COLUMN removed_fields TEXT NOT NULL DEFAULT '[]'",
  "ALTER TABLE modules ADD COLUMN drift_policy TEXT NOT NULL DEFAULT 'accept'",
  /* Since when its drift is counted, where its manifest has changed. */
  'ALTER TABLE modules ADD COLUMN drift_since TEXT',

  `CREATE TABLE manifest_changes (
    manifest_change_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    changes TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX manifest_changes_of_platform
    ON manifest_changes (platform_id, manifest_change_id)`,

  /* kind: unknown, absent or wrong_type. Kept in the transaction of the writes it counts; a row a node. */
  `CREATE TABLE module_drift (
    platform_id INTEGER NOT NULL,
    module_id INTEGER NOT NULL,
    node TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    count INTEGER NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (platform_id, module_id, node, kind, key)
  ) STRICT, WITHOUT ROWID`,

  /* The last read that proved the module complete, and how many pushes the module had had by then. */
  'ALTER TABLE modules ADD COLUMN complete_at TEXT',
  'ALTER TABLE modules ADD COLUMN complete_pushes INTEGER',
  /* How many records the last whole read met, and why it was no proof: a JSON list. */
  'ALTER TABLE modules ADD COLUMN last_read_records INTEGER',
  "ALTER TABLE modules ADD COLUMN last_read_doubts TEXT NOT NULL DEFAULT '[]'",
]
