import { type Kysely, sql } from 'kysely'

/**
 * What a module's platform said of its last whole answer, and how many pushes the module has had: an
 * answer speaks for the module only as long as there was none.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  'ALTER TABLE modules ADD COLUMN kept_etag TEXT',
  'ALTER TABLE modules ADD COLUMN kept_last_modified TEXT',
  'ALTER TABLE modules ADD COLUMN kept_read_tag TEXT',
  'ALTER TABLE modules ADD COLUMN kept_records INTEGER',
  'ALTER TABLE modules ADD COLUMN kept_pushes INTEGER',
  'ALTER TABLE module_counters ADD COLUMN pushes INTEGER NOT NULL DEFAULT 0',
]
