import { type Kysely, sql } from 'kysely'

/** Finds warnings and errors, which are few. Each push writes a line of the others, and pays nothing. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE INDEX activity_trouble ON activity (level, activity_id) WHERE level <> 'info'
  `.execute(database)
}
