/** Reverts: taking back what a pull or the pushes of a platform did, and the holds that keep it from coming back. */
import { keepRunning, sleep } from '../../lib/time/run-periodically.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { holdRoutes } from './hold-routes.ts'
import { revertRoutes } from './revert-routes.ts'
import { runNextRevert } from './run-revert.ts'

/** How often a node looks for a revert that another one has queued or left. */
const LOOK_EVERY_MS = 2000

export function createReverts(
  deps: FeatureDeps & { ingest: Pick<Ingest, 'revert'>; confirmAction: ConfirmAction },
) {
  let wake = new AbortController()
  return {
    routes: [...revertRoutes({ ...deps, onStarted: () => wake.abort() }), ...holdRoutes(deps)],
    /** Applies started reverts until the signal. */
    async runJobs(signal: AbortSignal): Promise<void> {
      await keepRunning(
        async () => {
          while (!signal.aborted) {
            wake = new AbortController()
            if (await runNextRevert(deps, signal)) continue
            await sleep(LOOK_EVERY_MS, AbortSignal.any([signal, wake.signal]))
          }
        },
        signal,
        (error) => deps.reportJobFailure('reverts', error),
      )
    },
  }
}
