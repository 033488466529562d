/** Removing platforms, deleting records in the background, and retention. */

import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { RetentionDays } from '../../domain/activity/retention.ts'
import type { ReportJobFailure } from '../../domain/alerts/job-failures.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { createDeletionWorker } from './deletion-worker.ts'
import { enforceRetention } from './enforce-retention.ts'
import { removalRoutes } from './removal-routes.ts'

export function createMaintenance(deps: {
  storage: Storage
  clock: Clock
  log: FastifyBaseLogger
  session: { idleMinutes: number }
  retentionDays: RetentionDays
  /** Maximum number of activity entries; 0 for no limit. */
  activityEntries: number
  /** The pause between two runs of retention. */
  retentionIntervalMs: number
  reportJobFailure: ReportJobFailure
  requesterOf: Parameters<typeof removalRoutes>[0]['requesterOf']
}) {
  const { storage, reportJobFailure } = deps
  const deletionWorker = createDeletionWorker({
    removals: storage.removals,
    onError: (error) => reportJobFailure('deletions', error),
  })
  const retentionDeps = { ...storage, ...deps }

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, removalRoutes({ ...storage, ...deps, deletionWorker }))
  }

  return {
    routes,
    /** Enforces retention periodically until the signal. */
    runJobs: (signal: AbortSignal): Promise<void> =>
      runPeriodically(
        deps.retentionIntervalMs,
        signal,
        () => enforceRetention(retentionDeps, signal),
        (error) => reportJobFailure('retention', error),
      ),
    /** Starts to delete the records of removed platforms and modules. */
    start: deletionWorker.start,
    stop: deletionWorker.stop,
  }
}
