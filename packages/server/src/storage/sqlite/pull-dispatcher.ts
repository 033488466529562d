import { Cron } from 'croner'
import type { PullDispatcher, PullHandlers } from '../port/pull-dispatcher.ts'
import type { PullStore } from '../port/pull-store.ts'

/** Dispatches pulls within the one process that SQLite has. The schedule is a timer. */
export function createPullDispatcher(
  pulls: Pick<PullStore, 'interruptPulls'>,
  timeZone: string,
): PullDispatcher {
  let handlers: PullHandlers | null = null
  let cron: Cron | null = null
  return {
    async start(given, schedule) {
      // There are no other processes, so an unfinished pull belongs to a process that has ended.
      await pulls.interruptPulls()
      handlers = given
      if (schedule === null) return
      cron = new Cron(
        schedule,
        { timezone: timeZone, unref: true, protect: true },
        given.onSchedule,
      )
    },
    async dispatch(pullId) {
      setImmediate(() => void handlers?.runPull(pullId))
    },
    nextRun: () => cron?.nextRun() ?? null,
    async stop() {
      cron?.stop()
      cron = null
      handlers = null
    },
  }
}
