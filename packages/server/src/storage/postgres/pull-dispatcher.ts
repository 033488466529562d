import { PgBoss } from 'pg-boss'
import type { PullDispatcher } from '../port/pull-dispatcher.ts'
import type { PostgresConnections } from './connection.ts'

const PULLS = 'recordhub-pulls'
const SCHEDULE = 'recordhub-schedule'
/** One attempt: a pull that broke off is not run again, the next one reads everything anyway. */
const QUEUE = { retryLimit: 0, expireInSeconds: 900, deleteAfterSeconds: 3600 }
const POLLING = { pollingIntervalSeconds: 1, batchSize: 1 }

/**
 * On PostgreSQL there may be many nodes: pg-boss hands a queued pull to one of them, and keeps the
 * schedule for all. It looks at the schedule every few seconds and runs a time of it once, on one node.
 */
export function createPullDispatcher(
  { query }: Pick<PostgresConnections, 'query'>,
  timeZone: string,
): PullDispatcher {
  let boss: PgBoss | null = null
  let worker = ''
  let cron: string | null = null
  return {
    async start({ runPull, onSchedule }, schedule) {
      const starting = new PgBoss({
        db: { executeSql: (text, values) => query(text, values) },
        superviseIntervalSeconds: 5,
        monitorIntervalSeconds: 5,
        cronMonitorIntervalSeconds: 5,
        cronWorkerIntervalSeconds: 1,
      })
      // The database may be away for a while; what could not be done is tried again.
      starting.on('error', () => undefined)
      await starting.start()
      boss = starting
      await starting.createQueue(PULLS, QUEUE)
      await starting.createQueue(SCHEDULE, QUEUE)
      worker = await starting.work<{ pull_id: number }>(PULLS, POLLING, async (jobs) => {
        for (const { data } of jobs) await runPull(data.pull_id)
      })
      await starting.work(SCHEDULE, POLLING, () => onSchedule())
      cron = schedule
      if (schedule === null) await starting.unschedule(SCHEDULE)
      else await starting.schedule(SCHEDULE, schedule, null, { tz: timeZone })
    },
    async dispatch(pullId) {
      await boss?.send(PULLS, { pull_id: pullId })
      boss?.notifyWorker(worker)
    },
    nextRun() {
      if (boss === null || cron === null) return null
      return boss.previewSchedule(cron, { tz: timeZone, count: 1 })[0] ?? null
    },
    async stop() {
      const stopping = boss
      boss = null
      cron = null
      await stopping?.stop({ graceful: false })
    },
  }
}
