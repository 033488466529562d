/** The search in the hub and on all platforms, and the search index. */

import PQueue from 'p-queue'
import { keepRunning, sleep } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { type PauseRatio, pauseAfter } from './indexing-pause.ts'
import type { SearchDeps } from './search-everywhere.ts'
import { searchIndexRoutes } from './search-index-routes.ts'
import { searchRoutes } from './search-routes.ts'

/** The number of platforms that all searches together query concurrently. */
const MAX_CONCURRENT_PLATFORMS = 16

/** A step takes some 100 ms: of the search thread on SQLite, and mostly of the server on PostgreSQL. */
const TEXT_INDEXING = { limit: 2000, pauseRatio: { idle: 0, withPushes: 8, late: 1 } }
/** A step takes some milliseconds, for which pushes wait on SQLite. */
const FIELD_INDEXING = { limit: 100, pauseRatio: { idle: 0.25, withPushes: 6, late: 6 } }

export function createSearch(
  deps: FeatureDeps & {
    searchRecords: SearchDeps['searchRecords']
    /** Whether platforms push. Indexing then takes only part of the processor time. */
    hasPushes: () => boolean
    /** Ends the searches in progress. */
    stopping: AbortSignal
  },
) {
  const { searchIndex, log, hasPushes, reportJobFailure } = deps
  let stopIndexing: (() => Promise<void>)[] = []

  return {
    routes: [
      ...searchIndexRoutes(deps),
      ...searchRoutes({
        ...deps,
        queue: new PQueue({ concurrency: MAX_CONCURRENT_PLATFORMS }),
        onError: (error, platform_id) =>
          log.error({ err: error, platform_id }, 'the search on a platform failed unexpectedly'),
      }),
    ],
    start(): void {
      const { indexTexts, indexFields } = searchIndex
      const onError = (error: unknown) => reportJobFailure('search index', error)
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

type Indexing = {
  /** Indexes the next changes, at most `limit`; returns their number. */
  indexNext: (limit: number) => Promise<number>
  limit: number
  pauseRatio: PauseRatio
  hasPushes: () => boolean
  onError: (error: unknown) => void
}

/**
 * Indexes the changes of records in steps.
 * @returns a function that stops the indexing and resolves when the current step has ended.
 */
function startIndexing(options: Indexing): () => Promise<void> {
  const { indexNext, limit, pauseRatio, hasPushes, onError } = options
  const stopping = new AbortController()
  let completeAt = performance.now()
  const run = async () => {
    let pause = 0
    do {
      const startedAt = performance.now()
      const isComplete = (await indexNext(limit)) < limit
      const now = performance.now()
      if (isComplete) completeAt = now
      const step = { isComplete, tookMs: now - startedAt, behindMs: now - completeAt }
      pause = pauseAfter({ ...step, hasPushes: hasPushes() }, pauseRatio)
      if (!(await sleep(pause, stopping.signal))) return
    } while (!stopping.signal.aborted)
  }
  const running = keepRunning(run, stopping.signal, onError)
  return async () => {
    stopping.abort()
    await running
  }
}
