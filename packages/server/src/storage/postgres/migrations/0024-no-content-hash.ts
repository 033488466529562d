import { type Kysely, sql } from 'kysely'

/** Nothing reads it: contents are compared (docs/decisions/0015-no-content-hash.md). */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE records DROP COLUMN content_hash').execute(database)
}
