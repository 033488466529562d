import { type Kysely, sql } from 'kysely'

/** When a failing platform last showed, outside of pulls, that it works. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE platforms ADD COLUMN recovered_at TEXT').execute(database)
}
