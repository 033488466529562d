/** The repairs of `recordhub doctor --fix`. Each is safe while hubs run. */
import type { CounterDifference } from '../../../storage/port/diagnostics-store.ts'
import type { ChangeLog } from '../../../storage/port/platform-store.ts'
import type { Storage } from '../../../storage/port/storage.ts'
import { type RepairName, staleLeaseRange } from './check-database.ts'
import { fixPermissions } from './check-environment.ts'

const ACTOR = 'command line'

type RepairStorage = Pick<Storage, 'repairs' | 'pulls' | 'searchIndex' | 'activity'>

/** Repairs of the database. @returns what each changed, one line per change; nothing if another process was faster. */
const DATABASE_REPAIRS: Record<
  Exclude<RepairName, 'permissions'>,
  (storage: RepairStorage, now: Date) => Promise<string[]>
> = {
  async counters({ repairs }) {
    const { recounted, deleted } = await repairs.recountRecords((changed) =>
      logOf('counters', `Counted records again: ${changed} counters were wrong`),
    )
    const versions = await repairs.recountVersions((changed) =>
      logOf('versions', `Summed versions again: ${changed} sums were wrong`),
    )
    const bytes = await repairs.recountRejectedBytes((changed) =>
      logOf('rejected pushes', `Summed rejected pushes again: ${changed} platforms were wrong`),
    )
    return [
      ...recounted.map((one) => describeRecount(one, 'records')),
      ...(deleted > 0 ? [`Deleted ${deleted} counters of modules that do not exist.`] : []),
      ...versions.recounted.map((one) => describeRecount(one, 'versions')),
      ...(versions.deleted > 0
        ? [`Deleted ${versions.deleted} sums of modules that do not exist.`]
        : []),
      ...bytes.map((one) => describeRecount(one, 'bytes of rejected pushes')),
    ]
  },

  async leases({ repairs }, now) {
    const names = await repairs.deleteLeases(staleLeaseRange(now), (deleted) =>
      logOf('leases', `Deleted ${deleted} stale leases`),
    )
    return names.map((name) => `Deleted the lease of the job "${name}".`)
  },

  async pull({ pulls }) {
    const interrupted = await pulls.interruptAbandonedPulls()
    return interrupted > 0 ? [`Ended ${interrupted} pull as interrupted.`] : []
  },

  async search({ searchIndex, activity }) {
    await searchIndex.rebuildTextIndex()
    const log = logOf('search index', 'The search index is built again')
    await activity.appendActivity(log.activity)
    await activity.appendAudit(log.audit)
    return ['The search index is built again, by the running hub or at the next start of one.']
  },
}

export type Repair = { name: RepairName; changes: string[] }

/** @param openStorage opens the database for writing, if a repair needs it. */
export async function runRepairs(
  names: ReadonlySet<RepairName>,
  deps: {
    dataDir: string | null
    now: Date
    withStorage: (use: (storage: RepairStorage) => Promise<void>) => Promise<void>
  },
): Promise<Repair[]> {
  const repairs: Repair[] = []
  if (names.has('permissions') && deps.dataDir !== null) {
    const changes = fixPermissions(deps.dataDir).map((path) => `Restricted ${path} to its owner.`)
    repairs.push({ name: 'permissions', changes })
  }
  const ofDatabase = [...names].filter((name) => name !== 'permissions')
  if (ofDatabase.length === 0) return repairs
  await deps.withStorage(async (storage) => {
    for (const name of ofDatabase) {
      repairs.push({ name, changes: await DATABASE_REPAIRS[name](storage, deps.now) })
    }
  })
  return repairs
}

function describeRecount({ name, stored, counted }: CounterDifference, unit: string): string {
  return `${name}: ${counted} ${unit}, was ${stored}.`
}

function logOf(target: string, message: string): ChangeLog {
  return {
    activity: { level: 'warning', kind: 'doctor.repaired', message, actor: ACTOR },
    audit: { actor: ACTOR, action: 'doctor.repair', target, address: null },
  }
}
