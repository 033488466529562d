import { type Kysely, sql } from 'kysely'

/**
 * The pulls that rejected a record, as ranges: a record that every pull rejects again has one row. Before, only the
 * last of these pulls was known.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* No pull between the two read the module without rejecting the record. */
  `CREATE TABLE rejected_push_pulls (
    rejected_push_id bigint NOT NULL REFERENCES rejected_pushes ON DELETE CASCADE,
    first_pull_id bigint NOT NULL,
    last_pull_id bigint NOT NULL,
    PRIMARY KEY (rejected_push_id, last_pull_id)
  )`,
  'CREATE INDEX rejected_push_pulls_by_pull ON rejected_push_pulls (last_pull_id, first_pull_id)',
  `INSERT INTO rejected_push_pulls (rejected_push_id, first_pull_id, last_pull_id)
    SELECT rejected_push_id, pull_id, pull_id FROM rejected_pushes WHERE pull_id IS NOT NULL`,
  'DROP INDEX rejected_pushes_of_pull',
]
