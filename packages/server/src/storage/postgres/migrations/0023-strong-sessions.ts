import { type Kysely, sql } from 'kysely'

/** Whether a session came by more than a password; of those that are there nobody knows it any more. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql
    .raw('ALTER TABLE operator_sessions ADD COLUMN strong boolean NOT NULL DEFAULT false')
    .execute(database)
}
