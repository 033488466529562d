import { type Kysely, sql } from 'kysely'

/** The pulls of one platform are listed on its page. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql
    .raw('CREATE INDEX pull_tasks_of_platform ON pull_tasks (platform_id, pull_id)')
    .execute(database)
}
