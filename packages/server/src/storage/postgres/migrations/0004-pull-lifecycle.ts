import { type Kysely, sql } from 'kysely'

/** When a pull's process last renewed its lease. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE pulls ADD COLUMN renewed_at text COLLATE "C"').execute(database)
}
