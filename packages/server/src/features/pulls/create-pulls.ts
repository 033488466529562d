/** Pulls on request and by the schedule, and the review of missing records. */

import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { ReportJobFailure } from '../../domain/alerts/job-failures.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { MetricsRegistry } from '../../lib/metrics/registry.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { runOnSchedule, type ScheduleTime } from '../../lib/time/cron.ts'
import { keepRunning } from '../../lib/time/run-periodically.ts'
import type { Tracer } from '../../lib/tracing/tracer.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { createCancelPull } from './cancel-pull.ts'
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

type RunnerSettings = Pick<
  PullRunnerDeps,
  | 'ingest'
  | 'rejectedPushSaver'
  | 'refreshManifest'
  | 'timeoutSeconds'
  | 'firstByteSeconds'
  | 'resumedFirstByteSeconds'
  | 'usualLimitsAfterSeconds'
  | 'concurrency'
  | 'fullPullHours'
  | 'waitForLimit'
  | 'missingThresholdPercent'
  | 'missingGraceSeconds'
>

export function createPulls(
  deps: RunnerSettings & {
    storage: Storage
    client: PlatformClient
    secrets: SecretBox
    clock: Clock
    log: FastifyBaseLogger
    metrics: MetricsRegistry
    tracer: Tracer | null
    /** The cron pattern of scheduled pulls; null without a schedule. */
    schedulePattern: string | null
    timeZone: string
    scheduleTime: ScheduleTime
    nextRun: () => Date | null
    reportJobFailure: ReportJobFailure
    callerOf: Parameters<typeof pullRoutes>[0]['callerOf']
    requesterOf: Parameters<typeof scheduleRoutes>[0]['requesterOf']
  },
) {
  const { storage, schedulePattern: pattern, timeZone } = deps
  const dispatcher = storage.pullDispatcher
  const lease = { owner: storage.processName, seconds: LEASE_SECONDS }
  const metrics = createPullMetrics(deps.metrics)
  const runner = createPullRunner({ ...storage, ...deps, lease, metrics })
  const queuePull = createRequestPull({ pulls: storage.pulls, dispatcher, lease })
  const requestPull: RequestPull = async (request) => {
    // Otherwise the request would interrupt a pull that was running when the clock was set.
    await runner.renewLeases()
    return queuePull(request)
  }
  const cancelPull = createCancelPull({ pulls: storage.pulls, runner })
  const scheduledPull = createScheduledPull({ ...storage, requestPull })
  async function onSchedule(due: Date): Promise<void> {
    const { name, seconds } = SCHEDULE_LEASE
    if (await storage.leases.acquire(name, storage.processName, seconds, due)) await scheduledPull()
  }

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, pullRoutes({ ...storage, ...deps, requestPull, cancelPull }))
    await registerRoutes(app, scheduleRoutes({ ...storage, ...deps, pattern }))
    await registerRoutes(app, missingReviewRoutes({ ...storage, ...deps }))
  }

  return {
    routes,
    requestPull,
    /** Starts to run queued pulls. */
    start: (): Promise<void> => dispatcher.start(runner.run),
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
      await dispatcher.stop()
      await runner.stop()
    },
  }
}
