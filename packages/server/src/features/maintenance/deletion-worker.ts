import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** Deletions that another node has left unfinished are resumed after this time. */
const POLL_EVERY_MS = 5000

/** Deletes the data of removed platforms and modules in the background, in steps. */
export type DeletionWorker = {
  /** Resumes unfinished deletions, and polls for new ones. */
  start: () => void
  /** Starts a deletion that was just requested. */
  wake: () => void
  /** Resolves when the current step has ended. The next start resumes the deletion. */
  stop: () => Promise<void>
}

export function createDeletionWorker(
  deps: Pick<FeatureDeps, 'removals'> & { onError: (error: unknown) => void },
): DeletionWorker {
  const stopping = new AbortController()
  let polling = Promise.resolve()
  let working = Promise.resolve()
  let isWorking = false
  let isRequested = false

  async function work(): Promise<void> {
    while (isRequested && !stopping.signal.aborted) {
      isRequested = false
      while (!stopping.signal.aborted && (await deps.removals.runNextStep()))
        await yieldToEventLoop()
    }
  }

  function wake(): void {
    isRequested = true
    if (isWorking) return
    isWorking = true
    working = work()
      // The next poll tries again.
      .catch(deps.onError)
      .finally(() => {
        isWorking = false
      })
  }

  return {
    wake,
    start() {
      wake()
      polling = runPeriodically(POLL_EVERY_MS, stopping.signal, async () => wake())
    },
    async stop() {
      stopping.abort()
      await polling
      await working
    },
  }
}
