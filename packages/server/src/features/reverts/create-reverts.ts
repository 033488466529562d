/** Reverts: taking back what a pull or the pushes of a platform did, and the holds that keep it from coming back. */
import { keepRunning, sleep } from '../../lib/time/run-periodically.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { holdRoutes } from './hold-routes.ts'
import { revertRoutes } from './revert-routes.ts'
import { type RunDeps, runNextRevert } from './run-revert.ts'

/** How often a node looks for a revert that another one has queued or left. */
const LOOK_EVERY_MS = 2000

export function createReverts(
  deps: FeatureDeps & { ingest: Pick<Ingest, 'revert'>; confirmAction: ConfirmAction },
) {
  const job = createRevertJob(deps)
  return {
    routes: [...revertRoutes({ ...deps, onStarted: job.wake }), ...holdRoutes(deps)],
    runJobs: job.run,
  }
}

/** The job that applies started reverts. */
export function createRevertJob(deps: RunDeps & Pick<FeatureDeps, 'reportJobFailure'>) {
  let woken = new AbortController()
  return {
    /** Lets the job look for a revert at once. */
    wake: () => woken.abort(),
    /** Applies started reverts until the signal. */
    async run(signal: AbortSignal): Promise<void> {
      await keepRunning(
        async () => {
          while (!signal.aborted) {
            woken = new AbortController()
            if (await runNextRevert(deps, signal)) continue
            await sleep(LOOK_EVERY_MS, AbortSignal.any([signal, woken.signal]))
          }
        },
        signal,
        (error) => deps.reportJobFailure('reverts', error),
      )
    },
  }
}
