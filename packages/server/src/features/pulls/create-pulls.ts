/** Pulls on request and by the schedule, and the review of missing records. */

import { cronPatternOf } from '../../config/feature-settings.ts'
import { runOnSchedule } from '../../lib/time/cron.ts'
import { keepRunning } from '../../lib/time/run-periodically.ts'
import type { Storage } from '../../storage/port/storage.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { completenessRoutes } from './completeness-routes.ts'
import { missingReviewRoutes } from './missing-review-routes.ts'
import { createPullMetrics } from './pull-metrics.ts'
import { pullRoutes } from './pull-routes.ts'
import { createRequestPull, createScheduledPull, type RequestPull } from './request-pull.ts'
import { createPullRunner, type PullRunnerDeps } from './run-pull.ts'
import { scheduleRoutes } from './schedule-routes.ts'

/** The process of a pull renews its lease every 5 s. After a crash, the next pull can start when the lease expires. */
const LEASE_SECONDS = 20
/** One node starts the pull of each scheduled time. The times of a schedule are a minute or more apart. */
const SCHEDULE_LEASE = { name: 'scheduled pull', seconds: 30 }

export function createPulls(
  deps: Storage &
    Omit<PullRunnerDeps, 'config' | 'lease' | 'pullMetrics'> &
    Pick<FeatureDeps, 'metrics' | 'scheduleTime' | 'nextRun' | 'reportJobFailure'> & {
      config: PullRunnerDeps['config'] &
        Pick<FeatureDeps['config'], 'HUB_PULL_SCHEDULE' | 'HUB_TIME_ZONE'>
    },
) {
  const { config, pullDispatcher, leases, processName } = deps
  const { HUB_TIME_ZONE: timeZone } = config
  const pattern = cronPatternOf(config.HUB_PULL_SCHEDULE)
  const lease = { owner: processName, seconds: LEASE_SECONDS }
  const runner = createPullRunner({ ...deps, lease, pullMetrics: createPullMetrics(deps.metrics) })
  const queuePull = createRequestPull({ ...deps, lease })
  const requestPull: RequestPull = async (request) => {
    // Otherwise the request would interrupt a pull that was running when the clock was set.
    await runner.renewLeases()
    return queuePull(request)
  }
  const scheduledPull = createScheduledPull({ ...deps, requestPull })
  async function onSchedule(due: Date): Promise<void> {
    const { name, seconds } = SCHEDULE_LEASE
    if (await leases.acquire(name, processName, seconds, due)) await scheduledPull()
  }

  return {
    routes: [
      ...pullRoutes({ ...deps, requestPull, runner }),
      ...scheduleRoutes(deps),
      ...missingReviewRoutes(deps),
      ...completenessRoutes(deps),
    ],
    requestPull,
    /** Starts to run queued pulls. */
    start: (): Promise<void> => pullDispatcher.start(runner.run),
    /** Starts pulls by the schedule until the signal. */
    async runJobs(signal: AbortSignal): Promise<void> {
      if (pattern === null) return
      await keepRunning(
        () => runOnSchedule({ pattern, timeZone }, signal, onSchedule, deps.scheduleTime),
        signal,
        (error) => deps.reportJobFailure('scheduled pulls', error),
      )
    },
    /** Accepts no more pulls, and interrupts those that are running. */
    async stop(): Promise<void> {
      await pullDispatcher.stop()
      await runner.stop()
    },
  }
}
