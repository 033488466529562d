/** Whether a job of the hub or a pull is stuck. */
import type {
  DiagnosticsStore,
  LeaseRow,
  UnfinishedPull,
} from '../../../storage/port/diagnostics-store.ts'
import { type Finding, info, problem } from './finding.ts'

/** No lease is longer than an hour, so one that ends later was taken with a wrong clock. */
const MAX_LEASE_MS = 24 * 3_600_000
/** A lease that expired is taken by the next process. After this time, none has. */
const UNUSED_MS = 24 * 3_600_000
/** Not a lease: the readiness check writes this row. */
const NO_LEASE = 'health check'

/** The times outside of which leases are deleted. RFC 3339 in UTC. */
export function staleLeaseRange(now: Date): { before: string; after: string } {
  return {
    before: new Date(now.getTime() - UNUSED_MS).toISOString(),
    after: new Date(now.getTime() + MAX_LEASE_MS).toISOString(),
  }
}

/** @param pullSeconds the time limit of a pull. */
export async function checkLeases(
  database: DiagnosticsStore,
  pullSeconds: number,
): Promise<Finding[]> {
  const now = new Date((await database.readServer()).now)
  const leases = await database.listLeases()
  const pull = await database.readUnfinishedPull()
  return [
    ...findStaleLeases(leases, now),
    ...(pull ? findStuckPull(pull, { now, pullSeconds }) : []),
  ]
}

export function findStaleLeases(leases: LeaseRow[], now: Date): Finding[] {
  const { before, after } = staleLeaseRange(now)
  return leases
    .filter(({ name }) => name !== NO_LEASE)
    .flatMap(({ name, expires_at }) => {
      if (expires_at > after) {
        const message = `The job "${name}" is reserved until ${expires_at}, so it does not run. The clock was wrong.`
        return [problem(message, 'Delete the lease: --fix.', 'leases')]
      }
      if (expires_at >= before) return []
      const message = `The lease of the job "${name}" expired at ${expires_at} and was not renewed.`
      return [{ ...info(`${message} --fix deletes it.`), repair: 'leases' as const }]
    })
}

export function findStuckPull(
  pull: UnfinishedPull,
  { now, pullSeconds }: { now: Date; pullSeconds: number },
): Finding[] {
  const { pull_id, state, started_at, requested_at, lease_until } = pull
  if (lease_until !== null && lease_until < now.toISOString()) {
    const message = `Pull ${pull_id} is ${state}, but its process ended: the lease expired at ${lease_until}.`
    return [problem(message, 'End it: --fix. The next pull does so, too.', 'pull')]
  }
  const since = started_at ?? requested_at
  const seconds = (now.getTime() - Date.parse(since)) / 1000
  if (seconds < 2 * pullSeconds) return [info(`Pull ${pull_id} is ${state} since ${since}.`)]
  const message = `Pull ${pull_id} is ${state} since ${since}, for longer than HUB_PULL_TIMEOUT_SECONDS (${pullSeconds}) allows.`
  return [problem(message, 'Restart the hub, and look for errors in its log.')]
}
