import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { HubError } from '../../../errors.ts'
import type { Tables } from './tables.ts'

/**
 * Brings a database to the schema of this version; of several processes that start at once, one.
 * @param migrations in the order they are applied, with names that are the same on every engine.
 * @throws HubError of the engine where the database cannot be used.
 * @throws Error where a newer version of the hub has migrated it further.
 */
export async function migrate(
  database: Kysely<Tables>,
  migrations: Record<string, Migration>,
): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
  })
  const { error } = await migrator.migrateToLatest()
  if (error instanceof HubError) throw error
  if (error) {
    throw new Error(
      'The database cannot be brought to the schema of this version. A newer version may have used it; start that one.',
      { cause: error },
    )
  }
}

/** Whether a database has the schema of this version, without changing anything. */
export async function isMigrated(
  database: Kysely<Tables>,
  migrations: Record<string, Migration>,
): Promise<boolean> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
  })
  return (await migrator.getMigrations()).every(({ executedAt }) => executedAt !== undefined)
}
