import type { PullDispatcher } from '../port/pull-dispatcher.ts'
import type { PullStore } from '../port/pull-store.ts'

/** Dispatches pulls within this process, the only one on the database. */
export function createPullDispatcher(pulls: Pick<PullStore, 'interruptPulls'>): PullDispatcher {
  let run: ((pullId: number) => Promise<void>) | null = null
  return {
    async start(runPull) {
      // There are no other processes, so an unfinished pull belongs to a process that has ended.
      await pulls.interruptPulls()
      run = runPull
    },
    async dispatch(pullId) {
      setImmediate(() => void run?.(pullId))
    },
    async stop() {
      run = null
    },
  }
}
