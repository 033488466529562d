import { type Kysely, sql } from 'kysely'

/** The members that a kept answer lacked, as a JSON array; null where it lacked none. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql
    .raw('ALTER TABLE modules ADD COLUMN kept_missing_members text COLLATE "C"')
    .execute(database)
}
