import type { BackupInfo } from '@recordhub/protocol'
import { SettingError } from '../config/config.ts'
import { readBackupPassphrase } from '../config/environment.ts'
import { checkBackup, readBackupInfo, restoreBackup } from '../storage/backup.ts'
import type { Restored } from '../storage/port/backup-store.ts'
import type { CommandContext } from './arguments.ts'
import { createProgressPrinter, findSecrets, promptPassphrase } from './backup.ts'

/** `recordhub restore <file>`: while no hub is running. */
export async function restore({ config, args, switches, print }: CommandContext): Promise<void> {
  const [path, ...others] = args
  if (path === undefined || others.length > 0) {
    throw new SettingError('restore: name one file, such as recordhub restore <file>.')
  }
  const info = await readBackupInfo(path)
  for (const line of describeBackup(info)) print(line)
  const passphrase = info.encrypted
    ? (readBackupPassphrase(config) ?? (await promptPassphrase()))
    : null
  const onProgress = createProgressPrinter()
  const location = { url: config.DATABASE_URL, dataDir: config.HUB_DATA_DIR }
  const request = { path, passphrase, onProgress }
  if (switches.has('check-only')) {
    await checkBackup(request)
    print('The backup is complete and undamaged.')
    return
  }
  const force = switches.has('force')
  const timeZone = config.HUB_TIME_ZONE
  const secrets = findSecrets(config)
  const restored = await restoreBackup(location, { ...request, force, secrets, timeZone })
  for (const line of describeRestored(restored)) print(line)
}

function describeBackup(info: BackupInfo): string[] {
  const { records = 0, platforms = 0, operators = 0 } = info.tables
  const engine = info.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  return [
    `Backup of ${info.created_at} by Recordhub ${info.hub_version} on ${engine}: ${records} records, ${platforms} platforms, ${operators} operators.`,
    info.secret_fingerprint
      ? `It needs the hub secret with the fingerprint ${info.secret_fingerprint}.`
      : 'It needs the hub secret that was in use when it was made.',
  ]
}

function describeRestored({ kept, erased, tombstones, unread }: Restored): string[] {
  return [
    'The backup was restored. Start the hub. All operators have to sign in again.',
    ...(kept
      ? [`The replaced data is kept in ${kept}. Delete it when you no longer need it.`]
      : []),
    ...(erased + tombstones > 0
      ? [
          `Erased again what was erased after the backup: ${erased} records, ${tombstones} further tombstones.`,
        ]
      : []),
    ...(unread === null
      ? []
      : [
          `Erasures after the backup could not be read from the replaced data (${unread}). Erase those records again.`,
        ]),
  ]
}
