import { sleep } from '../../lib/time/run-periodically.ts'

/** A small step costs nearly as much as a full one, so changes are collected for this time. */
const COLLECT_MS = 250
const ERROR_PAUSE_MS = 5000
/** With a higher utilization of the event loop, the pause after a step is longer. */
const BUSY_UTILIZATION = 0.7

type Indexing = {
  /** Indexes the next changes, at most `limit`; returns their number. */
  indexNext: (limit: number) => Promise<number>
  limit: number
  /** The pause after a step as a multiple of its duration, while the event loop has little or much to do. */
  pauseRatio: { idle: number; busy: number }
  log: { error: (details: object, message: string) => void }
}

/**
 * Indexes the changes of records in steps.
 * @returns a function that stops the indexing and resolves when the current step has ended.
 */
export function startIndexing({
  indexNext,
  limit,
  pauseRatio,
  log,
}: Indexing): () => Promise<void> {
  const stopping = new AbortController()
  const run = async () => {
    let pause = 0
    let utilization = 0
    do {
      const startedAt = performance.now()
      const indexed = await indexNext(limit).catch((err: unknown) => {
        if (!stopping.signal.aborted) log.error({ err }, 'the search index could not be updated')
        return null
      })
      const ratio = utilization > BUSY_UTILIZATION ? pauseRatio.busy : pauseRatio.idle
      const proportional = ratio * (performance.now() - startedAt)
      if (indexed === null) pause = ERROR_PAUSE_MS
      else pause = indexed < limit ? Math.max(COLLECT_MS, proportional) : proportional
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
