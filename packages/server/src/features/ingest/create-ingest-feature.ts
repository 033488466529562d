/** The receiver of pushes, and the rejected pushes. `createIngest` in ingest.ts builds only the write queue. */
import type { FastifyInstance } from 'fastify'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { Storage } from '../../storage/port/storage.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { createPushErrorCounter } from './count-push-errors.ts'
import { createIngest } from './ingest.ts'
import { createPushMetrics } from './ingest-metrics.ts'
import { createRequestLog, logUnknownPaths } from './log-requests.ts'
import { pushErrorRoutes } from './push-error-routes.ts'
import { type PushRouteDeps, pushRoutes } from './push-routes.ts'
import {
  createPlatformAuthenticator,
  createReceivePush,
  createRejectedPushSaver,
  readSourceKey,
} from './receive-push.ts'
import { rejectedPushRoutes } from './rejected-push-routes.ts'
import { repairRoutes } from './repair-routes.ts'
import { requestLogRoutes } from './request-log-routes.ts'

export function createIngestFeature(
  deps: Storage &
    Pick<FeatureDeps, 'secrets' | 'dayOf' | 'metrics' | 'reportJobFailure'> &
    Omit<
      PushRouteDeps,
      'authenticator' | 'receivePush' | 'counter' | 'requestLog' | 'pushMetrics'
    > & {
      config: Pick<FeatureDeps['config'], 'HUB_MAX_RECORD_KEYS' | 'HUB_REQUEST_LOG_BYTES'>
      /** The pause between two writes of the counted push errors. */
      flushIntervalMs: number
      /** The pause between two writes of the request log. */
      requestLogMs: number
    },
) {
  const ingest = createIngest({ ...deps, maxRecordKeys: deps.config.HUB_MAX_RECORD_KEYS })
  const rejectedPushSaver = createRejectedPushSaver(deps)
  const authenticator = createPlatformAuthenticator(deps)
  const receivePush = createReceivePush({ ...deps, ingest, rejectedPushSaver, authenticator })
  const counter = createPushErrorCounter(deps)
  const reportFailure = (error: unknown) => deps.reportJobFailure('push errors', error)

  const reportLogFailure = (error: unknown) => deps.reportJobFailure('request log', error)
  const requestLog = createRequestLog({
    ...{ ...deps, maxBytes: deps.config.HUB_REQUEST_LOG_BYTES },
    readSourceKey: (id) => readSourceKey(deps, id),
    onError: reportLogFailure,
  })

  return {
    ingest,
    rejectedPushSaver,
    /** The routes for platforms, which authenticate with a hub API key. */
    receiverRoutes: pushRoutes({
      ...{ ...deps, authenticator, receivePush, counter, requestLog },
      pushMetrics: createPushMetrics(deps.metrics),
    }),
    routes: [
      ...pushErrorRoutes(deps),
      ...requestLogRoutes(deps),
      ...repairRoutes({ ...deps, ingest }),
      ...rejectedPushRoutes({ ...deps, ingest }),
    ],
    /** Logs requests to unknown paths under that of the receiver. Call it before the routes are registered. */
    logUnknownPaths: (app: FastifyInstance): void => logUnknownPaths(app, requestLog),
    /** Saves the counted push errors and the request log periodically until the signal. */
    async runJobs(signal: AbortSignal): Promise<void> {
      await Promise.all([
        runPeriodically(deps.flushIntervalMs, signal, counter.flush, reportFailure),
        runPeriodically(deps.requestLogMs, signal, requestLog.flush, reportLogFailure),
      ])
    },
    /** Saves what has been counted and logged since the last flush. */
    async stop(): Promise<void> {
      await counter.flush().catch(reportFailure)
      await requestLog.flush().catch(reportLogFailure)
    },
  }
}
