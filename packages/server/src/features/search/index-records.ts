import { sleep } from '../../lib/time/run-periodically.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'

/** A step takes some milliseconds, for which pushes wait on SQLite. */
const STEP = 100
/** A small step costs nearly as much as a whole one, so what comes meanwhile is taken together. */
const GATHER_MS = 250
const IDLE_MS = 1000
const TROUBLE_MS = 5000
/** From this share of the thread's time on, others are at work on it, and a step is followed by a longer rest. */
const BUSY = 0.7
const REST = { busy: 6, idle: 0.25 }

/**
 * Keeps the search indexes close behind the changes of records, step by step.
 * @returns a function that ends it, once the step under way is done.
 */
export function startIndexing(parts: {
  searchIndex: Pick<SearchIndexStore, 'indexNext'>
  log: { error: (details: object, message: string) => void }
}): () => Promise<void> {
  const stopping = new AbortController()
  const run = async () => {
    let rest = 0
    let utilization = 0
    do {
      const begin = performance.now()
      const taken = await parts.searchIndex.indexNext(STEP).catch((err: unknown) => {
        if (!stopping.signal.aborted) parts.log.error({ err }, 'the search index is not kept')
        return null
      })
      const share = utilization > BUSY ? REST.busy : REST.idle
      const others = share * (performance.now() - begin)
      if (taken === null) rest = TROUBLE_MS
      else if (taken === 0) rest = IDLE_MS
      else rest = taken < STEP ? Math.max(GATHER_MS, others) : others
      const before = performance.eventLoopUtilization()
      if (!(await sleep(rest, stopping.signal))) return
      utilization = performance.eventLoopUtilization(before).utilization
    } while (!stopping.signal.aborted)
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
