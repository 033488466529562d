import { join, resolve } from 'node:path'
import type { BackupPhase } from '@recordhub/protocol'
import { readBackupPassphrase, requirePassphrase } from '../config/environment.ts'
import { backupFolderOf } from '../config/feature-settings.ts'
import type { Config } from '../config/settings.ts'
import { createSecretBox, secretFingerprint } from '../lib/crypto/secret-box.ts'
import { backupNameOf, writeBackup } from '../storage/backup.ts'
import type { OnBackupProgress } from '../storage/port/backup-store.ts'
import type { CommandContext } from './arguments.ts'
import { readSecretFile } from './load-secret.ts'
import { printError, promptSecret, stopSignal } from './program.ts'
import { VERSION } from './version.ts'

/** `recordhub backup`: works next to a running hub. */
export async function backup({ config, options, switches, print }: CommandContext): Promise<void> {
  const name = join(backupFolderOf(config), backupNameOf(new Date()))
  const path = resolve(options['out'] ?? name)
  const passphrase =
    readBackupPassphrase(config) ??
    (switches.has('encrypt') ? requirePassphrase(await promptPassphrase()) : null)
  const [secret] = findSecrets(config)
  const info = await writeBackup(
    { url: config.DATABASE_URL, dataDir: config.HUB_DATA_DIR },
    {
      path,
      passphrase,
      secretFingerprint: secret === undefined ? null : secretFingerprint(createSecretBox(secret)),
      hubVersion: VERSION,
      onProgress: createProgressPrinter(),
      signal: stopSignal(),
    },
  )
  const { records = 0, platforms = 0 } = info.tables
  print(`Wrote and verified ${path}: ${records} records of ${platforms} platforms.`)
  if (info.secret_fingerprint) {
    print(
      `It does not contain the secret of the hub (fingerprint ${info.secret_fingerprint}), which a restore needs: store the secret separately.`,
    )
  }
}

/** The secrets that are configured; a missing secret file is not created. */
export function findSecrets(config: Config): string[] {
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  const stored = secret ? [] : (readSecretFile(config) ?? [])
  return [secret, ...stored, previous].filter((one) => one !== '')
}

export function promptPassphrase(): Promise<string> {
  return promptSecret(() => printError('Passphrase of the backup (not shown):'))
}

const PHASES: Record<BackupPhase, string> = {
  copy: 'Copying the database',
  check: 'Checking the copy',
  write: 'Writing the backup',
  verify: 'Verifying the backup',
  unpack: 'Unpacking the backup',
  compare: 'Comparing the records',
}

/** Prints the start of each phase and every tenth percent to standard error. */
export function createProgressPrinter(): OnBackupProgress {
  let printed = ''
  return ({ phase, done, total }) => {
    const percent = total ? Math.min(100, Math.floor((done / total) * 10) * 10) : null
    const line = `${PHASES[phase]}${percent === null ? '' : `: ${percent} %`}`
    if (line === printed) return
    printed = line
    printError(line)
  }
}
