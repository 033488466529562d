import { sleep } from '../../lib/time/run-periodically.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'

/** Number of changes indexed in one step. A step takes some milliseconds, for which pushes wait on SQLite. */
const STEP = 100
/** A small step costs nearly as much as a full one, so changes are collected for this time. */
const COLLECT_MS = 250
const IDLE_MS = 1000
const ERROR_PAUSE_MS = 5000
/** With a higher utilization of the event loop, the pause after a step is longer. */
const BUSY_UTILIZATION = 0.7
/** The pause after a step as a multiple of its duration. */
const PAUSE_RATIO = { busy: 6, idle: 0.25 }

/**
 * Indexes the changes of records in steps.
 * @returns a function that stops the indexing and resolves when the current step has ended.
 */
export function startIndexing(deps: {
  searchIndex: Pick<SearchIndexStore, 'indexNext'>
  log: { error: (details: object, message: string) => void }
}): () => Promise<void> {
  const stopping = new AbortController()
  const run = async () => {
    let pause = 0
    let utilization = 0
    do {
      const startedAt = performance.now()
      const indexed = await deps.searchIndex.indexNext(STEP).catch((err: unknown) => {
        if (!stopping.signal.aborted)
          deps.log.error({ err }, 'the search index could not be updated')
        return null
      })
      const ratio = utilization > BUSY_UTILIZATION ? PAUSE_RATIO.busy : PAUSE_RATIO.idle
      const proportional = ratio * (performance.now() - startedAt)
      if (indexed === null) pause = ERROR_PAUSE_MS
      else if (indexed === 0) pause = IDLE_MS
      else pause = indexed < STEP ? Math.max(COLLECT_MS, proportional) : proportional
      const before = performance.eventLoopUtilization()
      if (!(await sleep(pause, stopping.signal))) return
      utilization = performance.eventLoopUtilization(before).utilization
    } while (!stopping.signal.aborted)
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
