/** Backups on request and by schedule, and restore drills. */

import { readBackupPassphrase } from '../../config/environment.ts'
import { backupFolderOf } from '../../config/feature-settings.ts'
import { HubError } from '../../errors.ts'
import { secretFingerprint } from '../../lib/crypto/secret-box.ts'
import { runOnSchedule } from '../../lib/time/cron.ts'
import { keepRunning } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { backupRoutes } from './backup-routes.ts'
import { createBackupRunner } from './run-backup.ts'
import { type RestoreUpload, setupRoutes } from './setup-routes.ts'

/** One node makes the backup of each scheduled time. The times of a schedule are a minute or more apart. */
const LEASE = 'scheduled backup'
const LEASE_SECONDS = 30

export function createBackups(
  deps: FeatureDeps & {
    isSetupToken: (token: string) => boolean
    restoreUpload: RestoreUpload | null
  },
) {
  const { config, leases, processName, scheduleTime } = deps
  const { HUB_TIME_ZONE: timeZone } = config
  const settings = {
    folder: backupFolderOf(config),
    passphrase: readBackupPassphrase(config),
    secretFingerprint: secretFingerprint(deps.secrets),
  }
  const runner = createBackupRunner({ ...deps, ...settings })

  async function makeScheduledBackup(due: Date): Promise<void> {
    if (!(await leases.acquire(LEASE, processName, LEASE_SECONDS, due))) return
    await runner.makeScheduledBackup().catch((error: unknown) => {
      // An operator's backup is running. The next one is made on schedule.
      if (!(error instanceof HubError && error.code === 'backup_in_progress')) throw error
    })
  }

  return {
    routes: [
      ...backupRoutes({ ...deps, ...settings, runner }),
      ...setupRoutes({ ...deps, ...settings }),
    ],
    async runJobs(signal: AbortSignal): Promise<void> {
      await keepRunning(
        () =>
          deps.followSchedule('HUB_BACKUP_SCHEDULE', signal, (pattern, unchanged) =>
            runOnSchedule({ pattern, timeZone }, unchanged, makeScheduledBackup, scheduleTime),
          ),
        signal,
        (error) => deps.reportJobFailure('scheduled backups', error),
      )
    },
    stop: runner.stop,
  }
}
