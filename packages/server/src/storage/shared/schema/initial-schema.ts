import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { createTables, type SchemaDialect } from './create-tables.ts'
import { initialSchema } from './tables.ts'

/** What migration `0001-initial-schema` does on every engine: creates the tables, and the row of the Atom feed. */
export async function createInitialSchema(
  database: Kysely<unknown>,
  dialect: SchemaDialect,
): Promise<void> {
  await createTables(database, initialSchema, dialect)
  await sql`
    INSERT INTO alert_feed (feed_id, created_at, last_event_id)
    VALUES (${randomUUID()}, ${new Date().toISOString()}, 0)
  `.execute(database)
}
