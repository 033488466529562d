import { keepRunning, sleep } from '../../lib/time/run-periodically.ts'

/** A small step costs nearly as much as a full one, so changes are collected for this time. */
const COLLECT_MS = 250

type Indexing = {
  /** Indexes the next changes, at most `limit`; returns their number. */
  indexNext: (limit: number) => Promise<number>
  limit: number
  /** The pause after a step as a multiple of its duration, without and with pushes. */
  pauseRatio: { idle: number; withPushes: number }
  hasPushes: () => boolean
  onError: (error: unknown) => void
}

/**
 * Indexes the changes of records in steps.
 * @returns a function that stops the indexing and resolves when the current step has ended.
 */
export function startIndexing({
  indexNext,
  limit,
  pauseRatio,
  hasPushes,
  onError,
}: Indexing): () => Promise<void> {
  const stopping = new AbortController()
  const run = async () => {
    let pause = 0
    do {
      const startedAt = performance.now()
      const indexed = await indexNext(limit)
      const ratio = hasPushes() ? pauseRatio.withPushes : pauseRatio.idle
      const proportional = ratio * (performance.now() - startedAt)
      pause = indexed < limit ? Math.max(COLLECT_MS, proportional) : proportional
      if (!(await sleep(pause, stopping.signal))) return
    } while (!stopping.signal.aborted)
  }
  const running = keepRunning(run, stopping.signal, onError)
  return async () => {
    stopping.abort()
    await running
  }
}
