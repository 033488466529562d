import type { Clock } from '../../lib/time/clock.ts'
import { nextCronTime, runOnSchedule } from '../../lib/time/cron.ts'
import type { PullDispatcher, PullHandlers } from '../port/pull-dispatcher.ts'
import type { PullStore } from '../port/pull-store.ts'

/** Dispatches pulls within this process, the only one on the database. The schedule is a timer. */
export function createPullDispatcher(
  pulls: Pick<PullStore, 'interruptPulls'>,
  { timeZone, clock }: { timeZone: string; clock: Clock },
): PullDispatcher {
  let handlers: PullHandlers | null = null
  let pattern: string | null = null
  let stopping = new AbortController()
  return {
    async start(newHandlers, schedule) {
      // There are no other processes, so an unfinished pull belongs to a process that has ended.
      await pulls.interruptPulls()
      handlers = newHandlers
      pattern = schedule
      if (schedule === null) return
      stopping = new AbortController()
      void runOnSchedule({ pattern: schedule, timeZone }, stopping.signal, newHandlers.onSchedule, {
        clock,
      })
    },
    async dispatch(pullId) {
      setImmediate(() => void handlers?.runPull(pullId))
    },
    nextRun: () => (pattern === null ? null : nextCronTime(pattern, timeZone, clock.now())),
    async stop() {
      stopping.abort()
      pattern = null
      handlers = null
    },
  }
}
