import type { FastifyBaseLogger } from 'fastify'
import { HubError } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { RemovalStore } from '../../storage/port/removal-store.ts'

/** What another node left half done is taken up after this. */
const LOOK_EVERY_MS = 5000

/** Deletes in the background what operators have had removed, step by step. */
export type DeletionWorker = {
  /** Goes on with what was left, and looks for more now and then. */
  start: () => void
  /** Begins at once. */
  wake: () => void
  /** Resolves when the step under way has ended; what is left waits for the next start. */
  stop: () => Promise<void>
}

export function createDeletionWorker(parts: {
  removals: Pick<RemovalStore, 'runNextStep'>
  log: FastifyBaseLogger
}): DeletionWorker {
  const stopping = new AbortController()
  let looking = Promise.resolve()
  let working = Promise.resolve()
  let isWorking = false
  let isAsked = false

  async function work(): Promise<void> {
    while (isAsked && !stopping.signal.aborted) {
      isAsked = false
      while (!stopping.signal.aborted && (await parts.removals.runNextStep()))
        await yieldToEventLoop()
    }
  }

  function wake(): void {
    isAsked = true
    if (isWorking) return
    isWorking = true
    working = work()
      .catch((error: unknown) => {
        // While the storage is away there is nothing to do but to look again.
        const isAway = error instanceof HubError && error.code === 'storage_unavailable'
        if (!isAway) parts.log.error({ err: error }, 'a removal broke off')
      })
      .finally(() => {
        isWorking = false
      })
  }

  return {
    wake,
    start() {
      wake()
      looking = runPeriodically(LOOK_EVERY_MS, stopping.signal, async () => wake())
    },
    async stop() {
      stopping.abort()
      await looking
      await working
    },
  }
}
