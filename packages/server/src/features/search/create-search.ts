/** The search in the hub and on all platforms, and the search index. */

import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import PQueue from 'p-queue'
import type { ReportJobFailure } from '../../domain/alerts/job-failures.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { startIndexing } from './index-records.ts'
import { searchIndexRoutes } from './search-index-routes.ts'
import { searchRoutes } from './search-routes.ts'

/** The number of platforms that all searches together query concurrently. */
const MAX_CONCURRENT_PLATFORMS = 16

/** A step takes some 100 ms: of the search thread on SQLite, and mostly of the server on PostgreSQL. */
const TEXT_INDEXING = { limit: 2000, pauseRatio: { idle: 0, withPushes: 1 } }
/** A step takes some milliseconds, for which pushes wait on SQLite. */
const FIELD_INDEXING = { limit: 100, pauseRatio: { idle: 0.25, withPushes: 6 } }

export function createSearch(deps: {
  storage: Storage
  client: PlatformClient
  secrets: SecretBox
  clock: Clock
  log: FastifyBaseLogger
  searchRecords: Parameters<typeof searchRoutes>[0]['searchRecords']
  requesterOf: Parameters<typeof searchIndexRoutes>[0]['requesterOf']
  /** Whether platforms push. Indexing then takes only part of the processor time. */
  hasPushes: () => boolean
  reportJobFailure: ReportJobFailure
  /** Ends the searches in progress. */
  stopping: AbortSignal
}) {
  const { storage, log, hasPushes } = deps
  let stopIndexing: (() => Promise<void>)[] = []

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, searchIndexRoutes({ ...storage, ...deps }))
    await registerRoutes(
      app,
      searchRoutes({
        ...storage,
        ...deps,
        queue: new PQueue({ concurrency: MAX_CONCURRENT_PLATFORMS }),
        onError: (error, platform_id) =>
          log.error({ err: error, platform_id }, 'the search on a platform failed unexpectedly'),
      }),
    )
  }

  return {
    routes,
    /** Starts to index changed records. */
    start(): void {
      const { indexTexts, indexFields } = storage.searchIndex
      const onError = (error: unknown) => deps.reportJobFailure('search index', error)
      stopIndexing = [
        startIndexing({ ...TEXT_INDEXING, indexNext: indexTexts, hasPushes, onError }),
        startIndexing({ ...FIELD_INDEXING, indexNext: indexFields, hasPushes, onError }),
      ]
    },
    async stop(): Promise<void> {
      await Promise.all(stopIndexing.map((stop) => stop()))
    },
  }
}
