/**
 * Replaces a database file by a backup. Everything is prepared in a file beside the database; one rename replaces it. If
 * the process is killed, either the old database or the restored one is in its place.
 */
import { closeSync, copyFileSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { HashReference } from '../../domain/record/erasure.ts'
import { HubError, messageOf } from '../../errors.ts'
import { makeFolder, syncFolder } from '../../lib/files/durable-files.ts'
import { systemClock } from '../../lib/time/clock.ts'
import type { Restored, RestoreRequest } from '../port/backup-store.ts'
import type { StoredTombstone } from '../port/deletion-store.ts'
import { publishFile } from '../shared/backup/backup-file.ts'
import { deleteAbandoned, partialPath } from '../shared/backup/backup-header.ts'
import { findReferencesKey } from '../shared/backup/check-backup.ts'
import { integerOf, textOf } from '../shared/schema/databases.ts'
import { unpackSqliteBackup } from './backup.ts'
import { lockForProcess, type ProcessLock } from './connection.ts'
import { searchFileOf } from './search-file.ts'
import { openSqlite } from './storage.ts'

const BUSY_TIMEOUT_MS = 5000
/** The files that SQLite and the hub create beside a database. */
const COMPANIONS = ['-wal', '-shm', '-journal', '.lock', '.lock-journal', '.state']

/**
 * Restores a backup whose header was checked.
 * @throws HubError `restore_hub_running`, `restore_would_overwrite`, `backup_damaged`, `backup_secret_wrong`,
 *   `restore_failed`, and those of `readPayload`.
 */
export async function restoreSqlite(
  databasePath: string,
  request: RestoreRequest,
): Promise<Restored> {
  makeFolder(dirname(databasePath))
  const lock = acquireLock(databasePath)
  const copy = partialPath(databasePath)
  const kept = `${databasePath}.before-restore-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`
  let isReplaced = false
  try {
    const exists = existsSync(databasePath)
    if (exists && !request.force) {
      throw new HubError('restore_would_overwrite', { path: databasePath })
    }
    await deleteAbandoned(dirname(databasePath))
    const { path, passphrase, onProgress } = request
    const info = await unpackSqliteBackup({ path, passphrase, target: copy }, onProgress)
    const hashReference = checkSecret(copy, request, info.secret_fingerprint)
    // SQLite deletes the log of a damaged database when it opens the database.
    const log = `${databasePath}-wal`
    if (exists && existsSync(log)) linkOrCopy(log, `${kept}-wal`)
    const old = exists ? readTombstones(databasePath) : { tombstones: [], unread: null }
    const { erased, added } = await eraseAgain(copy, old.tombstones, { ...request, hashReference })
    endSessions(copy)
    syncFile(copy)
    if (exists) keepDatabase(databasePath, kept)
    // The index of the replaced database. The hub creates a new one.
    deleteDatabase(searchFileOf(databasePath))
    // A power failure must not bring the log or the index of the replaced database back, beside the restored one.
    syncFolder(dirname(databasePath))
    await publishFile(copy, databasePath)
    isReplaced = true
    return { info, kept: exists ? kept : null, erased, tombstones: added, unread: old.unread }
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new HubError('restore_failed', { reason: messageOf(error) }, { cause: error })
  } finally {
    if (!isReplaced) deleteDatabase(kept)
    deleteDatabase(copy)
    deleteDatabase(searchFileOf(copy))
    lock.release()
  }
}

function acquireLock(databasePath: string): ProcessLock {
  try {
    return lockForProcess(databasePath)
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'data_folder_in_use') throw error
    throw new HubError('restore_hub_running', { path: databasePath }, { cause: error })
  }
}

function checkSecret(
  copy: string,
  { secrets }: RestoreRequest,
  fingerprint: string | null,
): HashReference | null {
  return withDatabase(copy, (database) => {
    const row = database
      .prepare(`SELECT ciphertext FROM secrets WHERE purpose = 'erased references'`)
      .get()
    return findReferencesKey(row ? textOf(row, 'ciphertext') : null, { secrets, fingerprint })
  })
}

/** Reads the tombstones of the database that is being replaced, if it can still be read. */
function readTombstones(path: string): { tombstones: StoredTombstone[]; unread: string | null } {
  try {
    const rows = withDatabase(path, (database) =>
      database
        .prepare(
          `SELECT reference_hash, platform_name, record_type, mode, record_id, at, actor
           FROM tombstones ORDER BY tombstone_id`,
        )
        .all(),
    )
    const tombstones = rows.map((row) => ({
      reference_hash: textOf(row, 'reference_hash'),
      platform_name: textOf(row, 'platform_name'),
      record_type: textOf(row, 'record_type'),
      mode: textOf(row, 'mode') === 'erase' ? ('erase' as const) : ('anonymise' as const),
      record_id: integerOf(row, 'record_id'),
      at: textOf(row, 'at'),
      actor: textOf(row, 'actor'),
    }))
    return { tombstones, unread: null }
  } catch (error) {
    return { tombstones: [], unread: messageOf(error) }
  }
}

/** Opens the copy as a hub does only if there is something to erase. */
async function eraseAgain(
  path: string,
  tombstones: StoredTombstone[],
  { hashReference, timeZone }: { hashReference: HashReference | null; timeZone: string },
): Promise<{ erased: number; added: number }> {
  if (tombstones.length === 0 || !hashReference) return { erased: 0, added: 0 }
  const clock = systemClock
  const options = { path, asHub: true, timeZone, clock, hashReference, withThreads: false }
  const storage = await openSqlite(options)
  try {
    return await storage.erasure.importTombstones(tombstones)
  } finally {
    await storage.close()
  }
}

/** Sessions that were ended after the backup must not become valid again. */
function endSessions(path: string): void {
  withDatabase(path, (database) => {
    database.exec('PRAGMA secure_delete = ON')
    database.exec('DELETE FROM operator_sessions')
    database.exec('DELETE FROM leases')
  })
}

/** Gives the database a second name, under which it stays when the first one is replaced. */
function keepDatabase(path: string, kept: string): void {
  try {
    withDatabase(path, (database) => {
      const result = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      if (result?.['busy'] !== 0) throw new HubError('restore_hub_running', { path })
    })
    rmSync(`${kept}-wal`, { force: true })
  } catch (error) {
    // A damaged database is kept with its log.
    if (error instanceof HubError) throw error
  }
  linkOrCopy(path, kept)
  // A log that stayed would be applied to the restored database.
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Some file systems have no hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    syncFile(to)
  }
}

function withDatabase<Result>(path: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    return use(database)
  } finally {
    database.close()
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function deleteDatabase(path: string): void {
  for (const suffix of ['', ...COMPANIONS]) rmSync(path + suffix, { force: true })
}
