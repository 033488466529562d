/** Backups of the database of a URL, without an open storage. */
import type { BackupInfo } from '@recordhub/protocol'
import { HubError } from '../errors.ts'
import { databasePathOf, isPostgres } from './open.ts'
import type { BackupRequest, Restored, RestoreRequest } from './port/backup-store.ts'
import { BACKUP_SUFFIX, readHeader } from './shared/backup/backup-header.ts'
import { assertEngine, assertSecretKnown } from './shared/backup/check-backup.ts'

export { checkBackup } from './shared/backup/check-backup.ts'

/** As `openStorage`. */
type Location = { url: string; dataDir: string }

/**
 * Writes a verified backup, with or without a running hub. See `BackupStore.writeBackup`. On SQLite the schema may be
 * of any version.
 * @throws HubError `no_database`, `backup_failed`, and those of the connection on PostgreSQL.
 */
export async function writeBackup(
  { url, dataDir }: Location,
  request: BackupRequest,
): Promise<BackupInfo> {
  if (isPostgres(url)) {
    const { writePostgresBackup } = await import('./postgres/backup.ts')
    return writePostgresBackup(url, request)
  }
  const { writeSqliteBackup } = await import('./sqlite/backup.ts')
  return writeSqliteBackup(databasePathOf({ url, dataDir }), request)
}

/** Reads what a backup says about itself. @throws HubError `backup_invalid`, `backup_unsupported`. */
export async function readBackupInfo(path: string): Promise<BackupInfo> {
  return (await readHeader(path)).header.info
}

/**
 * Restores a backup, while no hub is running. The database is unchanged if it fails or is killed.
 * @throws HubError `backup_other_engine`, `backup_secret_wrong`, `newer_schema`, `restore_would_overwrite`,
 *   `restore_hub_running`, `restore_failed`, and those of `checkBackup`.
 */
export async function restoreBackup(
  location: Location,
  request: RestoreRequest,
): Promise<Restored> {
  const info = await readBackupInfo(request.path)
  const engine = isPostgres(location.url) ? 'postgres' : 'sqlite'
  assertEngine(info, engine)
  assertSecretKnown({ secrets: request.secrets, fingerprint: info.secret_fingerprint })
  const { migrations } = await import('./sqlite/migrations/index.ts')
  const unknown = info.migrations.filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) {
    throw new HubError('backup_unsupported', { reason: `its schema has ${unknown.join(', ')}` })
  }
  if (engine === 'postgres') {
    const { restorePostgres } = await import('./postgres/restore.ts')
    return restorePostgres(location.url, request)
  }
  const { restoreSqlite } = await import('./sqlite/restore.ts')
  return restoreSqlite(databasePathOf(location), request)
}

/** The default name of a backup of this time. */
export function backupNameOf(at: Date): string {
  return `recordhub-${at.toISOString().replaceAll(/[-:.]/g, '')}${BACKUP_SUFFIX}`
}
