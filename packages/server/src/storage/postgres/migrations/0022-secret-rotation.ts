import { type Kysely, sql } from 'kysely'

/** The hub's own key, of which there is one: hubs that start at once must not make two. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `CREATE UNIQUE INDEX secrets_own_key ON secrets (purpose)
       WHERE purpose = 'erased references'`,
    )
    .execute(database)
}
