import { type Kysely, sql } from 'kysely'

/** When something last showed, outside of pulls, that a failing platform may be pulled again. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE platforms ADD COLUMN recovered_at TEXT').execute(database)
}
