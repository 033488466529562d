import { type Kysely, sql } from 'kysely'

/** Where what was refused stands in the order of writes, what it is grouped by, and what became of it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  'ALTER TABLE rejected_pushes ADD COLUMN record_type TEXT',
  /* A hash of code, module and message: what is refused for the same cause. */
  "ALTER TABLE rejected_pushes ADD COLUMN cause TEXT NOT NULL DEFAULT ''",
  'UPDATE rejected_pushes SET cause = fingerprint',
  'ALTER TABLE rejected_pushes ADD COLUMN place_seq INTEGER NOT NULL DEFAULT 0',
  "ALTER TABLE rejected_pushes ADD COLUMN place_at TEXT NOT NULL DEFAULT ''",
  'ALTER TABLE rejected_pushes ADD COLUMN replayed_by TEXT',
  'ALTER TABLE rejected_pushes ADD COLUMN replay_outcome TEXT',
  'ALTER TABLE rejected_pushes ADD COLUMN replay_record_id INTEGER',
  /* Holds all that groups tell in figures, so that no body is read for them. */
  `CREATE INDEX rejected_pushes_by_cause
    ON rejected_pushes (platform_id, cause, at, first_at, count) WHERE replayed_at IS NULL`,
  'CREATE INDEX rejected_pushes_by_place ON rejected_pushes (place_seq, rejected_push_id)',
  `CREATE INDEX rejected_pushes_unregistered ON rejected_pushes (platform_id, record_type)
    WHERE replayed_at IS NULL AND code = 'module_not_registered'`,
]
