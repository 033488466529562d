/** Removing platforms, deleting records in the background, and retention. */

import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { enforceRetention } from './enforce-retention.ts'
import { removalRoutes } from './removal-routes.ts'
import { createDeletionWorker } from './remove-platform.ts'

export function createMaintenance(
  deps: FeatureDeps & {
    /** The pause between two runs of retention. */
    retentionIntervalMs: number
  },
) {
  const { removals, reportJobFailure } = deps
  const deletionWorker = createDeletionWorker({
    removals,
    onError: (error) => reportJobFailure('deletions', error),
  })

  return {
    routes: removalRoutes({ ...deps, deletionWorker }),
    /** Enforces retention periodically until the signal. */
    runJobs: (signal: AbortSignal): Promise<void> =>
      runPeriodically(
        deps.retentionIntervalMs,
        signal,
        () => enforceRetention(deps, signal),
        (error) => reportJobFailure('retention', error),
      ),
    start: deletionWorker.start,
    stop: deletionWorker.stop,
  }
}
