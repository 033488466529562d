/** The folder with the backups of the hub. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { BackupStore } from '../../storage/port/backup-store.ts'

const SUFFIX = '.recordhub-backup'
const SCHEDULED = 'recordhub-scheduled-'
/** Also the pattern that keeps a request inside of the folder. */
const NAME = /^[\w][\w.-]*\.recordhub-backup$/

/** The name of a new backup. Retention deletes only scheduled ones. */
export function backupName(at: Date, isScheduled: boolean): string {
  const time = at.toISOString().replaceAll(/[-:.]/g, '')
  return `${isScheduled ? SCHEDULED : 'recordhub-'}${time}${SUFFIX}`
}

/** Lists the backups in the folder, newest first. */
export async function listBackups(
  folder: string,
  { readBackupInfo }: Pick<BackupStore, 'readBackupInfo'>,
): Promise<Backup[]> {
  const names = await readdir(folder).catch(() => [])
  const backups: Backup[] = []
  for (const file of names.filter((name) => NAME.test(name))) {
    const path = join(folder, file)
    const found = await stat(path).catch(() => null)
    if (!found?.isFile()) continue
    const read = await readBackupInfo(path).then(
      (info) => ({ info, problem: null }),
      (error: unknown) => ({ info: null, problem: messageOf(error) }),
    )
    backups.push({ file, bytes: found.size, ...read })
  }
  const timeOf = ({ info, file }: Backup) => info?.created_at ?? file
  return backups.sort((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1))
}

/** Returns the path and size of a backup. @throws HubError `not_found`. */
export async function findBackup(
  folder: string,
  file: string,
): Promise<{ path: string; bytes: number }> {
  const path = join(folder, file)
  const found = NAME.test(file) ? await stat(path).catch(() => null) : null
  if (!found?.isFile()) throw new HubError('not_found', { what: 'backup' })
  return { path, bytes: found.size }
}

/** Deletes the oldest scheduled backups. @param keep 0 to keep all. @returns the names of the deleted ones. */
export async function deleteOldBackups(folder: string, keep: number): Promise<string[]> {
  if (keep === 0) return []
  const names = await readdir(folder)
  // The names contain the time.
  const scheduled = names.filter((name) => name.startsWith(SCHEDULED) && NAME.test(name)).toSorted()
  const old = scheduled.slice(0, Math.max(0, scheduled.length - keep))
  for (const name of old) await rm(join(folder, name), { force: true })
  return old
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
