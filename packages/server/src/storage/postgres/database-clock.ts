import type { Clock } from '../../lib/time/clock.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import { integerOf } from '../shared/schema/columns.ts'
import type { PostgresConnections } from './connection.ts'

const EVERY_MS = 30_000

export type DatabaseClock = Clock & { stop: () => Promise<void> }

/**
 * The database's time, which is one for all nodes: by their own clocks, a node that is fast would take
 * the leases of others for run out. Asked for now and then, and counted on by a timer that nobody sets.
 */
export async function startDatabaseClock(
  connections: Pick<PostgresConnections, 'query'>,
): Promise<DatabaseClock> {
  let measured = await measure(connections)
  const stopping = new AbortController()
  const measuring = runPeriodically(EVERY_MS, stopping.signal, async () => {
    // While the database is away, its clock is taken to go on as before.
    measured = await measure(connections).catch(() => measured)
  })
  return {
    now: () => new Date(measured.time + performance.now() - measured.at),
    async stop() {
      stopping.abort()
      await measuring
    },
  }
}

async function measure({ query }: Pick<PostgresConnections, 'query'>) {
  const asked = performance.now()
  const { rows } = await query(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time',
  )
  return { time: integerOf(rows[0] ?? {}, 'time'), at: (asked + performance.now()) / 2 }
}
