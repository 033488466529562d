/** Backups on request and by schedule, and restore drills. */

import type { FastifyPluginAsync } from 'fastify'
import type { ReportJobFailure } from '../../domain/alerts/job-failures.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import { secretFingerprint } from '../../lib/crypto/secret-fingerprint.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import { runOnSchedule, type ScheduleTime } from '../../lib/time/cron.ts'
import { keepRunning } from '../../lib/time/run-periodically.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { backupRoutes } from './backup-routes.ts'
import { type BackupDeps, createBackupRunner } from './run-backup.ts'
import { type RestoreUpload, setupRoutes } from './setup-routes.ts'

/** One node makes the backup of each scheduled time. The times of a schedule are a minute or more apart. */
const LEASE = 'scheduled backup'
const LEASE_SECONDS = 30

export function createBackups(
  deps: Omit<BackupDeps, 'storage' | 'secretFingerprint'> & {
    storage: Storage
    secrets: SecretBox
    timeZone: string
    /** The cron pattern of scheduled backups; null without a schedule. */
    schedulePattern: string | null
    scheduleTime: ScheduleTime
    reportJobFailure: ReportJobFailure
    isSetupToken: (token: string) => boolean
    restoreUpload: RestoreUpload | null
    requesterOf: Parameters<typeof backupRoutes>[0]['requesterOf']
  },
) {
  const { storage, timeZone, schedulePattern: pattern, scheduleTime } = deps
  const { leases, processName } = storage
  const fingerprint = secretFingerprint(deps.secrets)
  const runner = createBackupRunner({ ...deps, secretFingerprint: fingerprint })

  const routes: FastifyPluginAsync = async (app) => {
    const routeDeps = { ...deps, secretFingerprint: fingerprint, runner }
    await registerRoutes(app, backupRoutes(routeDeps))
    await registerRoutes(app, setupRoutes(routeDeps))
  }

  async function makeScheduledBackup(due: Date): Promise<void> {
    if (!(await leases.acquire(LEASE, processName, LEASE_SECONDS, due))) return
    await runner.makeScheduledBackup().catch((error: unknown) => {
      // An operator's backup is running. The next one is made on schedule.
      if (!(error instanceof HubError && error.code === 'backup_in_progress')) throw error
    })
  }

  return {
    routes,
    /** Makes scheduled backups until the signal. */
    async runJobs(signal: AbortSignal): Promise<void> {
      if (pattern === null) return
      await keepRunning(
        () => runOnSchedule({ pattern, timeZone }, signal, makeScheduledBackup, scheduleTime),
        signal,
        (error) => deps.reportJobFailure('scheduled backups', error),
      )
    },
    stop: runner.stop,
  }
}
