import { join, resolve } from 'node:path'
import { backupFolderOf } from '../config/feature-settings.ts'
import type { Config } from '../config/settings.ts'
import { listBackups } from '../features/backups/backup-folder.ts'
import { describeRollback, type RollbackFacts } from '../features/maintenance/describe-rollback.ts'
import { describeError } from '../features/maintenance/doctor/run-doctor.ts'
import { readBackupInfo } from '../storage/backup.ts'
import { openDiagnostics } from '../storage/open.ts'
import { VERSION } from './version.ts'

/** `recordhub rollback`: states what a rollback would require, and changes nothing. */
export async function rollback(config: Config, print: (line: string) => void): Promise<void> {
  const folder = resolve(backupFolderOf(config))
  const backups = (await listBackups(folder, { readBackupInfo })).map((backup) => ({
    ...{ backup, path: join(folder, backup.file), since: null },
  }))
  const base = { version: VERSION, folder, backups }
  const facts = await readFacts(config, base).catch((error: unknown) => ({
    ...{ ...base, database: null, problem: describeError(error) },
  }))
  for (const line of describeRollback(facts)) print(line)
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
