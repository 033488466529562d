import { type Kysely, sql } from 'kysely'

/** The records that a review of missing records is about. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}

const STATEMENTS = [
  /* record_ids: a JSON list. */
  `ALTER TABLE missing_reviews ADD COLUMN record_ids TEXT NOT NULL DEFAULT '[]'`,
  /* With another fingerprint, the next complete read updates the records of a pending review. */
  `UPDATE missing_reviews SET fingerprint = '' WHERE state = 'pending'`,
]
