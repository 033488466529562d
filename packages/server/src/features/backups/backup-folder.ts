/** The folder with the backups of the hub. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Backup, DrillReport } from '@recordhub/protocol'
import { Compile } from 'typebox/compile'
import { HubError, messageOf } from '../../errors.ts'
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

/** A backup in the folder, as its file describes it. */
export type BackupFile = Omit<Backup, 'drill'>

/** Lists the backups in the folder, newest first. */
export async function listBackups(
  folder: string,
  { readBackupInfo }: Pick<BackupStore, 'readBackupInfo'>,
): Promise<BackupFile[]> {
  const names = await readdir(folder).catch(() => [])
  const backups: BackupFile[] = []
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
  const timeOf = ({ info, file }: BackupFile) => info?.created_at ?? file
  return backups.sort((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1))
}

/** Lists the backups in the folder, newest first, with their last restore drills. */
export async function listDrilledBackups(
  folder: string,
  backups: Pick<BackupStore, 'readBackupInfo'>,
): Promise<Backup[]> {
  const drilled: Backup[] = []
  for (const backup of await listBackups(folder, backups)) {
    drilled.push({ ...backup, drill: await readDrill(folder, backup) })
  }
  return drilled
}

/** The report of the last restore drill of a backup, in a file beside it. */
const drillPath = (path: string) => `${path}.drill.json`
const reports = Compile(DrillReport)

/** @param report null removes the last one. */
export async function saveDrill(path: string, report: DrillReport | null): Promise<void> {
  if (report === null) await rm(drillPath(path), { force: true })
  else await writeFile(drillPath(path), JSON.stringify(report))
}

/**
 * Returns the report of the last restore drill of a backup; null without one, and for one that is damaged or belongs to
 * an earlier file of this name.
 */
async function readDrill(folder: string, { file, info }: BackupFile): Promise<DrillReport | null> {
  try {
    const report: unknown = JSON.parse(await readFile(drillPath(join(folder, file)), 'utf8'))
    return reports.Check(report) && report.created_at === info?.created_at ? report : null
  } catch {
    return null
  }
}

/** Returns when the newest backup in the folder was made; null if there is none that can be read. */
export async function findNewestBackup(
  folder: string,
  backups: Pick<BackupStore, 'readBackupInfo'>,
): Promise<string | null> {
  const listed = await listBackups(folder, backups)
  return listed.find(({ info }) => info !== null)?.info?.created_at ?? null
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

/** A scheduled backup that retention neither counts nor deletes, and why. */
export type Uncounted = { file: string; reason: string }

/**
 * Deletes the oldest scheduled backups, never the newest. Only backups like the newest count: a damaged one, one of
 * another hub, and one whose time is still to come, since the clock was ahead, prove nothing about how many there are.
 * @param options.newest the backup that was just made.
 * @param options.keep 0 to keep all.
 */
export async function deleteOldBackups(
  folder: string,
  options: { newest: string; keep: number; now: Date },
  backups: Pick<BackupStore, 'readBackupInfo'>,
): Promise<{ deleted: string[]; uncounted: Uncounted[] }> {
  const { newest, keep, now } = options
  const listed = await listBackups(folder, backups)
  const own = listed.find(({ file }) => file === newest)?.info
  const others = listed.filter(({ file }) => file.startsWith(SCHEDULED) && file !== newest)
  const counted: string[] = []
  const uncounted: Uncounted[] = []
  for (const { file, info, problem } of others) {
    if (!info) uncounted.push({ file, reason: problem ?? 'It cannot be read.' })
    else if (info.engine !== own?.engine || info.secret_fingerprint !== own.secret_fingerprint) {
      uncounted.push({ file, reason: 'It was made with another secret or database engine.' })
    } else if (info.created_at > now.toISOString()) {
      uncounted.push({ file, reason: 'Its time is still to come: the clock was ahead.' })
    } else counted.push(file)
  }
  const deleted = keep === 0 ? [] : counted.slice(keep - 1).toReversed()
  for (const file of deleted) {
    await saveDrill(join(folder, file), null)
    await rm(join(folder, file), { force: true })
  }
  return { deleted, uncounted }
}
