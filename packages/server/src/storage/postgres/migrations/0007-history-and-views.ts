import { type Kysely, sql } from 'kysely'

/** What the feed of changes tells of records that are no more, and from when on history is whole. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* A deletion is a change with a number of its own; it names the record by its id alone. */
  `CREATE TABLE IF NOT EXISTS record_deletions (
    change_seq bigint PRIMARY KEY,
    record_id bigint NOT NULL,
    platform_id bigint NOT NULL,
    module_id bigint NOT NULL,
    platform_name text COLLATE "C" NOT NULL,
    record_type text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL
  )`,
  `CREATE INDEX IF NOT EXISTS record_deletions_of_platform
    ON record_deletions (platform_name, change_seq)`,

  /* What was deleted by its age: of this noun everything since then is there. */
  `CREATE TABLE IF NOT EXISTS retention (
    noun text COLLATE "C" PRIMARY KEY,
    kept_since text COLLATE "C" NOT NULL
  )`,
]
