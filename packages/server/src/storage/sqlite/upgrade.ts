/**
 * Prepares the migration of a database file: writes a backup, and migrates a copy of the backup first. The database
 * itself is then migrated in one transaction. If the process is killed at any moment, the database has either its old or
 * its new schema, and the next start continues.
 */
import { existsSync, rmSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { DiskSpace } from '../../domain/alerts/alert.ts'
import { HubError } from '../../errors.ts'
import { makeFolder } from '../../lib/files/durable-files.ts'
import { type Upgrade, type UpgradeStep, upgradeSpace } from '../port/storage.ts'
import { publishFile } from '../shared/backup/backup-file.ts'
import { BACKUP_SUFFIX, readHeader } from '../shared/backup/backup-header.ts'
import { findUpgrade, type Migrations, migrate, reasonOf } from '../shared/schema/migrate.ts'
import { unpackSqliteBackup } from './backup.ts'
import { openConnections, openReader } from './connection.ts'
import { assertIntact, copySnapshot, describeContent } from './database-snapshot.ts'
import { readDiskSpace } from './dialect.ts'
import { withMappedErrors } from './map-error.ts'

type UpgradeDeps = {
  migrations: Migrations
  upgrade: Upgrade
  /** Reads the free space of the disk of a folder. */
  readSpace?: (folder: string) => Promise<DiskSpace>
}

/**
 * Does nothing if no migration is pending. The caller holds the lock of the hub.
 * @throws HubError `upgrade_needs_space`, `upgrade_rehearsal_failed`, `backup_failed`. The database is unchanged.
 */
export async function prepareUpgrade(databasePath: string, deps: UpgradeDeps): Promise<void> {
  const copy = `${databasePath}.rehearsal`
  // A killed process may have left it.
  deleteCopy(copy)
  const step = await findStep(databasePath, deps.migrations)
  if (!step) return
  const { upgrade } = deps
  upgrade.log(`Upgrading the database: ${step.pending.join(', ')}.`)
  try {
    const backup = await writeBackup(databasePath, step, deps)
    await assertSpace(dirname(databasePath), spaceOf(databasePath).database, deps)
    if (backup === null) copySnapshot(databasePath, copy)
    else {
      const passphrase = upgrade.backup?.passphrase ?? null
      await unpackSqliteBackup({ path: backup, passphrase, target: copy })
    }
    await rehearse(copy, deps.migrations)
    upgrade.log('The upgrade succeeded on a copy of the database. The database itself is next.')
  } finally {
    deleteCopy(copy)
  }
}

/** Null for a new database and for a current one. @throws HubError `newer_schema`. */
async function findStep(path: string, migrations: Migrations): Promise<UpgradeStep | null> {
  if (!existsSync(path)) return null
  const reader = withMappedErrors(() => openReader(path))
  try {
    return await findUpgrade(reader, migrations)
  } finally {
    await reader.destroy()
  }
}

/** @returns the path of the backup; null if backups are turned off. */
async function writeBackup(
  databasePath: string,
  { pending }: UpgradeStep,
  deps: UpgradeDeps,
): Promise<string | null> {
  const { backup, log } = deps.upgrade
  if (backup === null) {
    log('No backup is written before this upgrade, because HUB_UPGRADE_BACKUP is off.')
    return null
  }
  const { folder } = backup
  const { position } = describeContent(databasePath)
  const name = `before-${pending[0]}-at-${position}${BACKUP_SUFFIX}`
  const path = join(folder, name)
  // An upgrade that failed is tried again at each start, and must not fill the disk with equal backups.
  if (await isBackupOf(path, databasePath)) {
    log(`The backup ${path} has the current state of the database.`)
    return path
  }
  makeFolder(folder)
  const space = spaceOf(databasePath)
  const databaseFolder = dirname(databasePath)
  const isOneDisk = (await stat(folder)).dev === (await stat(databaseFolder)).dev
  if (!isOneDisk) await assertSpace(databaseFolder, space.database, deps)
  await assertSpace(folder, isOneDisk ? space.both : space.backups, deps)
  log(`Writing the backup ${path}.`)
  // An outdated backup of this name is replaced only by a complete one.
  const fresh = path.replace(BACKUP_SUFFIX, `-new${BACKUP_SUFFIX}`)
  rmSync(fresh, { force: true })
  await backup.write(fresh)
  await publishFile(fresh, path)
  return path
}

/** Whether a backup has the same rows in every table. Each change of an operator adds a row to the audit log. */
async function isBackupOf(path: string, databasePath: string): Promise<boolean> {
  if (!existsSync(path)) return false
  try {
    const { info, sample } = (await readHeader(path)).header
    const { tables, migrations, position } = info
    return isDeepStrictEqual(
      { tables, migrations, position, sample },
      describeContent(databasePath),
    )
  } catch (error) {
    if (error instanceof HubError) return false
    throw error
  }
}

function spaceOf(databasePath: string): ReturnType<typeof upgradeSpace> {
  const log = statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return upgradeSpace(statSync(databasePath).size + log)
}

/** @throws HubError `upgrade_needs_space` if the disk of a folder has less free space. */
async function assertSpace(
  folder: string,
  bytes: number,
  { readSpace = readDiskSpace }: UpgradeDeps,
): Promise<void> {
  const { available } = await readSpace(folder)
  if (available >= bytes) return
  const [needed, free] = [formatMegabytes(bytes), formatMegabytes(available)]
  throw new HubError('upgrade_needs_space', { needed, available: free, path: folder })
}

function formatMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MiB`
}

/** Tables whose rows a migration must keep. */
const COUNTED = [
  ...['platforms', 'modules', 'hub_keys', 'secrets', 'records', 'record_history', 'tombstones'],
  ...['rejected_pushes', 'operators', 'operator_accounts', 'api_tokens', 'saved_views', 'audit'],
]

/** @throws HubError `upgrade_rehearsal_failed`. */
async function rehearse(copy: string, migrations: Migrations): Promise<void> {
  try {
    const before = describeContent(copy).tables
    const connections = openConnections(copy)
    try {
      await migrate(connections.writer, migrations)
      const { rows } = await sql`SELECT 1 FROM pragma_foreign_key_check LIMIT 1`.execute(
        connections.reader,
      )
      if (rows.length > 0) throw new Error('it breaks foreign keys')
    } finally {
      await connections.close()
    }
    assertIntact(copy)
    const after = describeContent(copy).tables
    for (const name of COUNTED) {
      if (before[name] === after[name]) continue
      throw new Error(`the table ${name} has ${after[name]} rows instead of ${before[name]}`)
    }
  } catch (cause) {
    throw new HubError('upgrade_rehearsal_failed', { reason: reasonOf(cause) }, { cause })
  }
}

function deleteCopy(copy: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true })
}
