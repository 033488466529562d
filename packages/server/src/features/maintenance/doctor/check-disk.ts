/** Whether the disk has space, and who may access the files of the hub. */
import { accessSync, chmodSync, constants, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { formatGigabytes, lowDiskBytes } from '../../../domain/alerts/alert-conditions.ts'
import { upgradeSpace } from '../../../storage/port/storage.ts'
import { type Finding, info, problem, warning } from './finding.ts'

/** A running hub overwrites the log when it exceeds 64 MiB. */
const LARGE_LOG_BYTES = 256 * 1024 ** 2
/** The files of the hub in its data folder. */
const HUB_FILES = /^(recordhub\.secret|.+\.sqlite(-wal|-shm|\.lock|\.state)?|backups)$/

/** @param database the size of the database and of its log in bytes; null on PostgreSQL and for an unreadable database. */
export async function checkDisk(
  folder: string,
  database: { bytes: number; log_bytes: number | null } | null,
): Promise<Finding[]> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const available = bavail * bsize
  const findings = [info(`${formatGigabytes(available)} are free`)]
  if (available < lowDiskBytes(blocks * bsize)) {
    const message = `The disk with ${folder} has only ${formatGigabytes(available)} left.`
    findings.push(warning(message, 'Delete other files, or move HUB_DATA_DIR to a larger disk.'))
  }
  const needed = upgradeSpace((database?.bytes ?? 0) + (database?.log_bytes ?? 0)).both
  if (available < needed) {
    const message = `An upgrade that changes the schema needs up to ${formatGigabytes(needed)} for a backup and a copy of the database.`
    findings.push(warning(message, 'Free the space before the next upgrade.'))
  }
  if (database?.log_bytes && database.log_bytes > LARGE_LOG_BYTES) {
    const message = `The write-ahead log has ${formatGigabytes(database.log_bytes)}.`
    findings.push(
      warning(
        message,
        'Another program reads the database for a long time. End it, or restart the hub.',
      ),
    )
  }
  return findings
}

type FileAccess = { path: string; mode: number; uid: number; isFolder: boolean }

/** Who may access the data folder and the files of the hub in it. They contain secrets and personal data. */
export function checkPermissions(folder: string): Finding[] {
  // The mode bits of Windows have no meaning.
  if (process.platform === 'win32') return []
  const files = listFiles(folder)
  const [own] = files
  const unwritable = files.filter(({ path }) => !isWritable(path))
  return [
    ...files.filter(isOpenToOthers).map(({ path, mode }) => {
      const message = `Other users of the machine may access ${path} (mode ${mode.toString(8)}).`
      return problem(message, 'Restrict it to its owner: --fix.', 'permissions')
    }),
    ...unwritable.map(({ path }) =>
      problem(`This user cannot write ${path}.`, 'Run this command as the user of the hub.'),
    ),
    ...files
      .filter(({ uid }) => own && uid !== own.uid)
      .map(({ path, uid }) =>
        problem(
          `${path} belongs to user ${uid}, and its folder to user ${own?.uid}.`,
          `Change its owner: chown ${own?.uid} ${path}`,
        ),
      ),
  ]
}

/** Restricts the files to their owner. @returns the paths that were changed. */
export function fixPermissions(folder: string): string[] {
  return listFiles(folder)
    .filter(isOpenToOthers)
    .map(({ path, isFolder }) => {
      chmodSync(path, isFolder ? 0o700 : 0o600)
      return path
    })
}

/** The folder itself, then the files. */
function listFiles(folder: string): FileAccess[] {
  const names = readdirSync(folder).filter((name) => HUB_FILES.test(name))
  return [folder, ...names.toSorted().map((name) => join(folder, name))].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) return []
    return [{ path, mode: found.mode & 0o777, uid: found.uid, isFolder: found.isDirectory() }]
  })
}

/** The secret is for the owner alone. A group may read the rest, for example to copy backups. */
function isOpenToOthers({ path, mode }: FileAccess): boolean {
  return (mode & (path.endsWith('recordhub.secret') ? 0o077 : 0o027)) !== 0
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
