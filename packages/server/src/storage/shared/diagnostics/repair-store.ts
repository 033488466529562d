import { type RawBuilder, sql } from 'kysely'
import type {
  CounterDifference,
  InvalidCounter,
  RepairStore,
} from '../../port/diagnostics-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { MAX_DRIFT_KEYS } from '../counters/counter-deltas.ts'
import { addToModule } from '../records/module-counts.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { updateRows } from '../schema/rows.ts'
import { compareSums, ORPHANED_SUMS, repairSums } from './compare-sums.ts'

type Row = {
  platform_id: number
  module_id: number
  platform_name: string
  record_type: string
  stored: number
  counted: number
}

/** @param node the name of this process's counter rows. */
export function createRepairStore(
  { transact }: Pick<Databases, 'transact'>,
  node: string,
): RepairStore {
  return {
    // With this lock, two processes do not add the same difference twice.
    recountRecords: (log) =>
      transact(['counters'], async (db, at) => {
        const { rows } = await sql<Row>`
          SELECT * FROM (${MODULE_COUNTS}) c WHERE stored <> counted ORDER BY module_id
        `.execute(db)
        // Adds the differences as of one snapshot. Writes that commit meanwhile add to the same rows.
        for (const { platform_id, module_id, stored, counted } of rows) {
          const records = Number(counted) - Number(stored)
          await addToModule(db, { platform_id, module_id }, { records }, node)
        }
        const deletion = await sql`DELETE FROM ${ORPHANED_MODULE_COUNTERS}`.execute(db)
        const deleted = Number(deletion.numAffectedRows ?? 0n)
        const recounted = rows.map(toRecordDifference)
        const changed = recounted.length + deleted
        if (changed > 0) await insertLog(db, at, log(changed))
        return { recounted, deleted }
      }),

    recountVersions: (log) =>
      transact(['counters'], async (db, at) => {
        const repaired = await repairSums(db, node)
        const changed = repaired.recounted.length + repaired.deleted
        if (changed > 0) await insertLog(db, at, log(changed))
        return repaired
      }),

    // Rejected pushes are saved and deleted under this lock.
    recountRejectedBytes: (log) =>
      transact(['rejected pushes'], async (db, at) => {
        const { rows } = await sql<Row>`
          SELECT * FROM (${REJECTED_BYTES}) c WHERE stored <> counted ORDER BY platform_id
        `.execute(db)
        const recounted: CounterDifference[] = []
        for (const row of rows) {
          const { platform_id, counted } = row
          await updateRows(db, 'platforms', { platform_id }, { rejected_bytes: Number(counted) })
          recounted.push(toBytesDifference(row))
        }
        if (recounted.length > 0) await insertLog(db, at, log(recounted.length))
        return recounted
      }),

    deleteLeases: ({ before, after }, log) =>
      transact([], async (db, at) => {
        const rows = await db
          .deleteFrom('leases')
          .where((eb) => eb.or([eb('expires_at', '<', before), eb('expires_at', '>', after)]))
          .returning('name')
          .execute()
        const names = rows.map(({ name }) => name).sort()
        if (names.length > 0) await insertLog(db, at, log(names.length))
        return names
      }),
  }
}

const MAX_HOURS = 100

/**
 * The stored and the counted number of records of each module. The removal of a platform deletes its counters first, so
 * then the count is 0. As one statement, it sees each write with its counter or not at all.
 */
const MODULE_COUNTS = sql`
  SELECT m.platform_id, m.module_id, p.platform_name, m.record_type,
    coalesce((SELECT sum(c.records) FROM module_counters c
      WHERE c.platform_id = m.platform_id AND c.module_id = m.module_id), 0) AS stored,
    CASE WHEN p.removed_at IS NULL THEN (SELECT count(*) FROM records r
      WHERE r.platform_id = m.platform_id AND r.module_id = m.module_id) ELSE 0 END AS counted
  FROM modules m JOIN platforms p ON p.platform_id = m.platform_id`

/** The stored and the summed size of the rejected pushes of each platform. */
const REJECTED_BYTES = sql`
  SELECT p.platform_id, p.platform_name, p.rejected_bytes AS stored,
    coalesce((SELECT sum(r.bytes) FROM rejected_pushes r WHERE r.platform_id = p.platform_id), 0)
      AS counted
  FROM platforms p`

/** Counters whose module does not exist. They are part of the total in the dashboard. */
const ORPHANED_MODULE_COUNTERS = sql`module_counters WHERE NOT EXISTS (
  SELECT 1 FROM modules m WHERE m.module_id = module_counters.module_id
    AND m.platform_id = module_counters.platform_id)`

type Counted = { stored: number | string; counted: number | string }

/** Compares the stored counters with the rows that they count. */
export async function compareCounters(db: Executor): Promise<CounterDifference[]> {
  const records = await sql<Counted & { platform_name: string; record_type: string }>`
    SELECT * FROM (${MODULE_COUNTS}) c WHERE stored <> counted ORDER BY module_id
  `.execute(db)
  const bytes = await sql<Counted & { platform_name: string }>`
    SELECT * FROM (${REJECTED_BYTES}) c WHERE stored <> counted ORDER BY platform_id
  `.execute(db)
  // Deleted records are no longer rows, so an hour may have more created records than rows, but not fewer.
  const hours = await sql<Counted & { platform_name: string; hour: string }>`
    SELECT p.platform_name, h.hour, h.stored, r.counted
    FROM (SELECT platform_id, hour, sum(created) AS stored FROM hourly_counters
      GROUP BY platform_id, hour) h
    JOIN (SELECT platform_id, substr(created_at, 1, 13) AS hour, count(*) AS counted FROM records
      GROUP BY 1, 2) r ON r.platform_id = h.platform_id AND r.hour = h.hour
    JOIN platforms p ON p.platform_id = h.platform_id
    WHERE h.stored < r.counted ORDER BY h.hour, p.platform_id LIMIT ${sql.lit(MAX_HOURS)}
  `.execute(db)
  return [
    ...records.rows.map((row) => toRecordDifference(row)),
    ...bytes.rows.map((row) => toBytesDifference(row)),
    ...(await compareSums(db)),
    ...hours.rows.map((row) => ({
      ...{ counter: 'created' as const, name: `${row.platform_name}, ${row.hour}` },
      ...{ stored: Number(row.stored), counted: Number(row.counted) },
    })),
  ]
}

function toRecordDifference(
  row: Counted & { platform_name: string; record_type: string },
): CounterDifference {
  const name = `${row.platform_name}/${row.record_type}`
  return { counter: 'records', name, stored: Number(row.stored), counted: Number(row.counted) }
}

function toBytesDifference(row: Counted & { platform_name: string }): CounterDifference {
  const { platform_name: name, stored, counted } = row
  return { counter: 'rejected_bytes', name, stored: Number(stored), counted: Number(counted) }
}

export async function findInvalidCounters(db: Executor): Promise<InvalidCounter[]> {
  const found: InvalidCounter[] = []
  for (const { condition, ...counter } of INVALID_COUNTERS) {
    const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM ${condition}`.execute(db)
    const count = Number(rows[0]?.n ?? 0)
    if (count > 0) found.push({ ...counter, rows: count })
  }
  return found
}

const INVALID_COUNTERS: (Omit<InvalidCounter, 'rows'> & { condition: RawBuilder<unknown> })[] = [
  { table: 'module_counters', reason: 'orphaned', condition: ORPHANED_MODULE_COUNTERS },
  {
    table: 'module_counters',
    reason: 'impossible',
    condition: sql`(SELECT 1 FROM module_counters GROUP BY platform_id, module_id
      HAVING sum(records) < 0 OR sum(pushes) < 0) c`,
  },
  {
    table: 'hourly_counters',
    reason: 'orphaned',
    condition: sql`hourly_counters c
      WHERE NOT EXISTS (SELECT 1 FROM platforms p WHERE p.platform_id = c.platform_id)`,
  },
  {
    // Everything received has an outcome. A stale record of a pull has an outcome but does not count as received.
    table: 'hourly_counters',
    reason: 'impossible',
    condition: sql`hourly_counters WHERE received_post < 0 OR received_patch < 0
      OR received_pull < 0 OR created < 0 OR updated < 0 OR unchanged < 0 OR stale < 0 OR rejected < 0
      OR received_post + received_patch + received_pull > created + updated + unchanged + stale
      OR received_post + received_patch + received_pull < created + updated + unchanged`,
  },
  { table: 'digest_sums', reason: 'orphaned', condition: ORPHANED_SUMS },
  {
    table: 'module_drift',
    reason: 'orphaned',
    condition: sql`module_drift d WHERE NOT EXISTS (SELECT 1 FROM modules m
      WHERE m.module_id = d.module_id AND m.platform_id = d.platform_id)`,
  },
  {
    table: 'module_drift',
    reason: 'impossible',
    condition: sql`(SELECT 1 FROM module_drift GROUP BY platform_id, module_id, node, kind
      HAVING min(count) < 1 OR count(*) > ${sql.lit(MAX_DRIFT_KEYS)}
        OR max(CASE WHEN first_at > last_at THEN 1 ELSE 0 END) = 1) d`,
  },
]
