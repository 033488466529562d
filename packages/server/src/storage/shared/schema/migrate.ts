import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator, NO_MIGRATIONS } from 'kysely/migration'
import { HubError } from '../../../errors.ts'
import type { UpgradeStep } from '../../port/storage.ts'
import type { Tables } from './tables.ts'

/** In the order in which they are applied, by name; the names are the same on every engine. */
export type Migrations = Record<string, Migration>

/**
 * Whether exactly the migrations of this version have been applied, in their order. It takes one query, where Kysely
 * reads the columns of all tables several times. False also if the query fails: then Kysely's queries report the reason.
 */
export async function isCurrent(
  database: Kysely<Tables>,
  migrations: Migrations,
): Promise<boolean> {
  const query = sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY timestamp, name`
  const applied = await query.execute(database).catch(() => null)
  const names = applied?.rows.map(({ name }) => name)
  return isDeepStrictEqual(names, Object.keys(migrations).toSorted())
}

/**
 * Migrates a database to the schema of this version. Of several processes that start at the same time, one migrates
 * and the others wait for it.
 * @throws HubError `newer_schema`, and the errors of the engine if the database cannot be used.
 */
export async function migrate(database: Kysely<Tables>, migrations: Migrations): Promise<void> {
  if (await isCurrent(database, migrations)) return
  const { error } = await createMigrator(database, migrations).migrateToLatest()
  if (!error) return
  if (error instanceof HubError) throw error
  await rejectNewerSchema(database, migrations)
  throw new Error('The database could not be migrated to the schema of this version.', {
    cause: error,
  })
}

/**
 * Migrates an empty schema of a database up to a migration, for the rows of a backup.
 * @param last the name of the last migration; undefined for none.
 */
export async function migrateTo(
  database: Kysely<Tables>,
  migrations: Migrations,
  { schema, last }: { schema: string; last: string | undefined },
): Promise<void> {
  const provider = { getMigrations: async () => migrations }
  const migrator = new Migrator({ db: database, provider, migrationTableSchema: schema })
  const { error } = await migrator.migrateTo(last ?? NO_MIGRATIONS)
  if (error) throw error
}

/**
 * Asserts that a database has the schema of this version, for a process that is not a hub. Changes nothing.
 * @param path the database, for messages.
 * @throws HubError `no_database` without tables, `older_schema`, `newer_schema`.
 */
export async function assertMigrated(
  database: Kysely<Tables>,
  migrations: Migrations,
  path: string,
): Promise<void> {
  if (await isCurrent(database, migrations)) return
  const known = await createMigrator(database, migrations).getMigrations()
  const pending = known.filter(({ executedAt }) => executedAt === undefined)
  if (pending.length === known.length) throw new HubError('no_database', { path })
  await rejectNewerSchema(database, migrations)
  if (pending.length === 0) return
  throw new HubError('older_schema', { migrations: pending.map(({ name }) => name).join(', ') })
}

/** Returns the applied and the pending migrations; null if none is pending, or if the database is new. */
export async function findUpgrade(
  database: Kysely<Tables>,
  migrations: Migrations,
): Promise<UpgradeStep | null> {
  if (await isCurrent(database, migrations)) return null
  const known = await createMigrator(database, migrations).getMigrations()
  const namesOf = (isApplied: boolean) =>
    known
      .filter(({ executedAt }) => (executedAt !== undefined) === isApplied)
      .map(({ name }) => name)
  const [applied, pending] = [namesOf(true), namesOf(false)]
  if (applied.length === 0 || pending.length === 0) return null
  await rejectNewerSchema(database, migrations)
  return { applied, pending }
}

/** The innermost message of an error. `migrate` wraps the error of a migration. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}

function createMigrator(database: Kysely<Tables>, migrations: Migrations): Migrator {
  return new Migrator({ db: database, provider: { getMigrations: async () => migrations } })
}

/** A migration that this version does not know comes from a newer one, whose tables this one could damage. */
async function rejectNewerSchema(database: Kysely<Tables>, migrations: Migrations): Promise<void> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(database)
  const unknown = rows.map(({ name }) => name).filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) throw new HubError('newer_schema', { migrations: unknown.join(', ') })
}
