/** The receiver of pushes, and the rejected pushes. `createIngest` in ingest.ts builds only the write queue. */

import type { FastifyPluginAsync } from 'fastify'
import { toPlugin } from '../../http/route.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { Storage } from '../../storage/port/storage.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { createPlatformAuthenticator } from './authenticate-platform.ts'
import { createPushErrorCounter } from './count-push-errors.ts'
import { createIngest } from './ingest.ts'
import { createPushMetrics } from './ingest-metrics.ts'
import { pushErrorRoutes } from './push-error-routes.ts'
import { type PushRouteDeps, pushRoutes } from './push-routes.ts'
import { createReceivePush } from './receive-push.ts'
import { rejectedPushRoutes } from './rejected-push-routes.ts'
import { createRejectedPushSaver } from './save-rejected-push.ts'

export function createIngestFeature(
  deps: Storage &
    Pick<FeatureDeps, 'secrets' | 'dayOf' | 'metrics' | 'reportJobFailure'> &
    Omit<PushRouteDeps, 'authenticator' | 'receivePush' | 'counter' | 'pushMetrics'> & {
      config: Pick<FeatureDeps['config'], 'HUB_MAX_RECORD_KEYS'>
      /** The pause between two writes of the counted push errors. */
      flushIntervalMs: number
    },
) {
  const ingest = createIngest({ ...deps, maxRecordKeys: deps.config.HUB_MAX_RECORD_KEYS })
  const rejectedPushSaver = createRejectedPushSaver(deps)
  const authenticator = createPlatformAuthenticator(deps)
  const receivePush = createReceivePush({ ...deps, ingest, rejectedPushSaver, authenticator })
  const counter = createPushErrorCounter(deps)
  const reportFailure = (error: unknown) => deps.reportJobFailure('push errors', error)

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, toPlugin(pushErrorRoutes(deps)))
    await registerRoutes(app, toPlugin(rejectedPushRoutes({ ...deps, ingest })))
  }

  return {
    ingest,
    rejectedPushSaver,
    /** The routes for platforms, which authenticate with a hub API key. */
    receiverRoutes: pushRoutes({
      ...{ ...deps, authenticator, receivePush, counter },
      pushMetrics: createPushMetrics(deps.metrics),
    }),
    routes,
    /** Saves the counted push errors periodically until the signal. */
    runJobs: (signal: AbortSignal): Promise<void> =>
      runPeriodically(deps.flushIntervalMs, signal, counter.flush, reportFailure),
    /** Saves the push errors that were counted since the last flush. */
    stop: (): Promise<void> => counter.flush().catch(reportFailure),
  }
}
