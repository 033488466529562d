import { Cron } from 'croner'
import type { PullDispatcher, PullHandlers } from '../port/pull-dispatcher.ts'

/** On SQLite there is one process: a queued pull is run right here, and the schedule is a timer. */
export function createPullDispatcher(timeZone: string): PullDispatcher {
  let handlers: PullHandlers | null = null
  let cron: Cron | null = null
  return {
    async start(given, schedule) {
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
