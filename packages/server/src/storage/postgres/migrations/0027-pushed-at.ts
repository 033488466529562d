import { type Kysely, sql } from 'kysely'

/** When a record was last pushed, in the form of `parseInstant`; null where that was before this migration. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE records ADD COLUMN pushed_at text COLLATE "C"').execute(database)
}
