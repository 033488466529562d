import { type Kysely, sql } from 'kysely'

/** By which the latest pulls of a platform are found. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql
    .raw('CREATE INDEX pull_tasks_of_platform ON pull_tasks (platform_id, pull_id)')
    .execute(database)
}
