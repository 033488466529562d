/** The receiver of pushes, and the rejected pushes. `createIngest` in ingest.ts builds only the write queue. */

import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { ReportJobFailure } from '../../domain/alerts/job-failures.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { MetricsRegistry } from '../../lib/metrics/registry.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock, MonotonicClock } from '../../lib/time/clock.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { Tracer } from '../../lib/tracing/tracer.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { createPlatformAuthenticator } from './authenticate-platform.ts'
import { createPushErrorCounter } from './count-push-errors.ts'
import { createIngest } from './ingest.ts'
import { createPushMetrics } from './ingest-metrics.ts'
import { pushErrorRoutes } from './push-error-routes.ts'
import { type AcceptJsonBodies, pushRoutes } from './push-routes.ts'
import { createReceivePush } from './receive-push.ts'
import { rejectedPushRoutes } from './rejected-push-routes.ts'
import { createRejectedPushSaver } from './save-rejected-push.ts'

export function createIngestFeature(deps: {
  storage: Storage
  secrets: SecretBox
  clock: Clock
  monotonicClock: MonotonicClock
  dayOf: (at: Date) => string
  log: FastifyBaseLogger
  metrics: MetricsRegistry
  tracer: Tracer | null
  acceptJsonBodies: AcceptJsonBodies
  /** Pushes per second and platform; 0 for no limit. */
  ratePerSecond: number
  maxRecordKeys: number
  /** The pause between two writes of the counted push errors. */
  flushIntervalMs: number
  reportJobFailure: ReportJobFailure
  requesterOf: Parameters<typeof rejectedPushRoutes>[0]['requesterOf']
  readGuideOf: Parameters<typeof pushRoutes>[0]['readGuideOf']
}) {
  const { storage, clock, requesterOf } = deps
  const ingest = createIngest({ ...deps, records: storage.records })
  const rejectedPushSaver = createRejectedPushSaver({ ...deps, ...storage })
  const authenticator = createPlatformAuthenticator({ platforms: storage.platforms, clock })
  const receivePush = createReceivePush({ ingest, rejectedPushSaver, authenticator, clock })
  const counter = createPushErrorCounter({ pushErrors: storage.pushErrors, clock })
  const reportFailure = (error: unknown) => deps.reportJobFailure('push errors', error)

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, pushErrorRoutes(storage))
    await registerRoutes(app, rejectedPushRoutes({ ...storage, ingest, clock, requesterOf }))
  }

  return {
    ingest,
    rejectedPushSaver,
    /** The routes for platforms, which authenticate with a hub API key. */
    receiverRoutes: pushRoutes({
      ...{ ...deps, authenticator, receivePush, counter },
      metrics: createPushMetrics(deps.metrics),
    }),
    routes,
    /** Saves the counted push errors periodically until the signal. */
    runJobs: (signal: AbortSignal): Promise<void> =>
      runPeriodically(deps.flushIntervalMs, signal, counter.flush, reportFailure),
    /** Saves the push errors that were counted since the last flush. */
    stop: (): Promise<void> => counter.flush().catch(reportFailure),
  }
}
