import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SettingError } from '../config/config.ts'
import { backupFolderOf } from '../config/feature-settings.ts'
import type { Config } from '../config/settings.ts'
import { listBackups } from '../features/backups/backup-folder.ts'
import { describeRollback, type RollbackFacts } from '../features/maintenance/describe-rollback.ts'
import { describeError } from '../features/maintenance/doctor/run-doctor.ts'
import { errorCodeOf } from '../lib/files/error-code.ts'
import { readBackupInfo } from '../storage/backup.ts'
import { openDiagnostics } from '../storage/open.ts'
import type { CommandContext } from './arguments.ts'
import { VERSION } from './version.ts'

/**
 * `recordhub rollback`: states what a rollback would require, and changes nothing.
 * @throws Error if the database cannot be read, after what is known without it was printed.
 * @throws SettingError if the folder of the backups cannot be read.
 */
export async function rollback({
  config,
  print,
}: Pick<CommandContext, 'config' | 'print'>): Promise<void> {
  const folder = resolve(backupFolderOf(config))
  await assertReadable(folder, config.HUB_BACKUP_DIR !== '')
  const backups = (await listBackups(folder, { readBackupInfo })).map((backup) => ({
    ...{ backup, path: join(folder, backup.file), since: null },
  }))
  const base = { version: VERSION, folder, backups }
  const facts = await readFacts(config, base).catch((error: unknown) => ({
    ...{ ...base, database: null, problem: describeError(error) },
  }))
  for (const line of describeRollback(facts)) print(line)
  if (facts.problem !== null) throw new Error(facts.problem)
}

/** The first backup creates the folder, unless it was configured. */
async function assertReadable(folder: string, isConfigured: boolean): Promise<void> {
  try {
    await readdir(folder)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'ENOENT' && !isConfigured) return
    throw new SettingError(`HUB_BACKUP_DIR: the folder ${folder} cannot be read (${code}).`)
  }
}

async function readFacts(
  config: Config,
  facts: Pick<RollbackFacts, 'version' | 'folder' | 'backups'>,
): Promise<RollbackFacts> {
  const { DATABASE_URL: url, HUB_DATA_DIR: dataDir } = config
  const database = await openDiagnostics({ url, dataDir })
  try {
    const { applied } = await database.readSchema()
    const backups: RollbackFacts['backups'] = []
    for (const { backup, path } of facts.backups) {
      const { info } = backup
      const since = info
        ? await database.countChangesSince({ position: info.position, at: info.created_at })
        : null
      backups.push({ backup, path, since })
    }
    return {
      ...{ ...facts, backups, problem: null },
      database: { location: database.location, applied },
    }
  } finally {
    await database.close()
  }
}
