import { PgBoss } from 'pg-boss'
import { HubError } from '../../errors.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { PullDispatcher, PullStore } from '../port/pull-store.ts'
import type { PostgresConnections } from './connection.ts'
import { toStartupError } from './map-error.ts'

const PULLS = 'recordhub-pulls'
/** No retries: an interrupted pull does not run again, because the next one reads everything. */
const QUEUE = { retryLimit: 0, expireInSeconds: 900, deleteAfterSeconds: 3600 }
const CLEANUP_INTERVAL_MS = 5000
const POLLING = { pollingIntervalSeconds: 1, batchSize: 1 }

/**
 * Dispatches pulls to many nodes with pg-boss: each queued pull is delivered to one node. Every node ends the pulls of
 * nodes that have ended.
 */
export function createPullDispatcher(
  { query }: Pick<PostgresConnections, 'query'>,
  pulls: Pick<PullStore, 'interruptAbandonedPulls'>,
  { warn }: { warn: (message: string) => void },
): PullDispatcher {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => query(text, values) },
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    schedule: false,
  })
  boss.on('error', (error) => {
    // Other parts of the hub report an unavailable database, and pg-boss retries.
    if (!(error instanceof HubError)) warn(`The queue of pulls failed: ${error.message}`)
  })
  const send = (pullId: number) => boss.send(PULLS, { pull_id: pullId })
  const interruptAbandoned = async () => void (await pulls.interruptAbandonedPulls().catch(() => 0))
  let stopping = new AbortController()
  let cleanup = Promise.resolve()
  let isDelivering = false
  let worker: string | null = null
  return {
    async start(runPull) {
      await interruptAbandoned()
      stopping = new AbortController()
      cleanup = runPeriodically(CLEANUP_INTERVAL_MS, stopping.signal, interruptAbandoned)
      await boss.start().catch((error: unknown) => {
        throw toStartupError(error)
      })
      await boss.createQueue(PULLS, QUEUE)
      isDelivering = true
      worker = await boss.work<{ pull_id: number }>(PULLS, POLLING, async (jobs) => {
        for (const { data } of jobs) {
          // A pull that arrives while this node stops is sent to another node.
          await (isDelivering ? runPull(data.pull_id) : send(data.pull_id))
        }
      })
    },
    async dispatch(pullId) {
      await send(pullId)
      if (worker !== null) boss.notifyWorker(worker)
    },
    async stop() {
      isDelivering = false
      stopping.abort()
      await cleanup
      worker = null
      await boss.stop({ graceful: false })
    },
  }
}
