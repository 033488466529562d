import { PgBoss } from 'pg-boss'
import { HubError } from '../../errors.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { PullDispatcher } from '../port/pull-dispatcher.ts'
import type { PullStore } from '../port/pull-store.ts'
import type { PostgresConnections } from './connection.ts'
import { toStartupError } from './map-error.ts'

const PULLS = 'recordhub-pulls'
const SCHEDULE = 'recordhub-schedule'
/** One attempt: a pull that broke off is not run again, the next one reads everything anyway. */
const QUEUE = { retryLimit: 0, expireInSeconds: 900, deleteAfterSeconds: 3600 }
const CLEAR_UP_EVERY_MS = 5000
const POLLING = { pollingIntervalSeconds: 1, batchSize: 1 }

/**
 * On PostgreSQL there may be many nodes: pg-boss hands a queued pull to one of them, and keeps the
 * schedule for all; each clears up after those that are gone. It looks at the schedule every few seconds and runs a time of it once, on one node.
 */
export function createPullDispatcher(
  { query }: Pick<PostgresConnections, 'query'>,
  pulls: Pick<PullStore, 'interruptAbandonedPulls'>,
  { timeZone, warn }: { timeZone: string; warn: (message: string) => void },
): PullDispatcher {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => query(text, values) },
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    cronMonitorIntervalSeconds: 5,
    cronWorkerIntervalSeconds: 1,
  })
  boss.on('error', (error) => {
    // That the database is away is told elsewhere; what could not be done is tried again.
    if (!(error instanceof HubError)) warn(`The schedule and queue of pulls: ${error.message}`)
  })
  const send = (pullId: number) => boss.send(PULLS, { pull_id: pullId })
  const clearUp = async () => void (await pulls.interruptAbandonedPulls().catch(() => 0))
  let stopping = new AbortController()
  let clearing = Promise.resolve()
  let isDelivering = false
  let worker: string | null = null
  let cron: string | null = null
  return {
    async start({ runPull, onSchedule }, schedule) {
      await clearUp()
      stopping = new AbortController()
      clearing = runPeriodically(CLEAR_UP_EVERY_MS, stopping.signal, clearUp)
      await boss.start().catch((error: unknown) => {
        throw toStartupError(error)
      })
      await boss.createQueue(PULLS, QUEUE)
      await boss.createQueue(SCHEDULE, QUEUE)
      isDelivering = true
      worker = await boss.work<{ pull_id: number }>(PULLS, POLLING, async (jobs) => {
        for (const { data } of jobs) {
          // One that was on its way while this node stopped is for another.
          await (isDelivering ? runPull(data.pull_id) : send(data.pull_id))
        }
      })
      await boss.work(SCHEDULE, POLLING, () => onSchedule())
      if (schedule === null) await boss.unschedule(SCHEDULE)
      else await boss.schedule(SCHEDULE, schedule, null, { tz: timeZone })
      cron = schedule
    },
    async dispatch(pullId) {
      await send(pullId)
      if (worker !== null) boss.notifyWorker(worker)
    },
    nextRun() {
      if (cron === null) return null
      return boss.previewSchedule(cron, { tz: timeZone, count: 1 })[0] ?? null
    },
    async stop() {
      isDelivering = false
      stopping.abort()
      await clearing
      worker = null
      cron = null
      await boss.stop({ graceful: false })
    },
  }
}
