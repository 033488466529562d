import { type Kysely, sql } from 'kysely'

/** What keeps erased records away, and removals under way. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* By names, not by numbers: it holds on when a platform is removed and registered anew. */
  `CREATE TABLE tombstones (
    tombstone_id INTEGER PRIMARY KEY AUTOINCREMENT,
    reference_hash TEXT NOT NULL UNIQUE,
    platform_name TEXT NOT NULL,
    record_type TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('erase', 'anonymise')),
    record_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    actor TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX tombstones_of_module ON tombstones (platform_name, record_type)',
  'CREATE INDEX tombstones_by_record ON tombstones (record_id)',

  /* Set from the moment a platform is removed until all that it had is gone. */
  'ALTER TABLE platforms ADD COLUMN removed_at TEXT',
  /* module_id is null where a whole platform is removed. */
  `CREATE TABLE removals (
    removal_id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform_id INTEGER NOT NULL,
    module_id INTEGER,
    platform_name TEXT NOT NULL,
    record_type TEXT,
    records INTEGER NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,
    requested_by TEXT NOT NULL,
    requested_at TEXT NOT NULL,
    finished_at TEXT
  ) STRICT`,
  `CREATE UNIQUE INDEX removals_under_way ON removals (platform_id, coalesce(module_id, 0))
    WHERE finished_at IS NULL`,
  'CREATE INDEX hourly_counters_of_platform ON hourly_counters (platform_id)',
]
