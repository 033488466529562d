import { sql } from 'kysely'
import type { CounterDifference } from '../../port/diagnostics-store.ts'
import type { RepairStore } from '../../port/repair-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { addToModule } from '../records/module-counts.ts'
import { type Databases, nowText } from '../schema/databases.ts'
import {
  MODULE_COUNTS,
  ORPHANED_MODULE_COUNTERS,
  REJECTED_BYTES,
  toBytesDifference,
  toRecordDifference,
} from './counter-checks.ts'

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
  { writer, clock, acquireLock }: Databases,
  node: string,
): RepairStore {
  return {
    recountRecords: (log) =>
      writer.transaction().execute(async (db) => {
        // Two processes must not add the same difference twice.
        await acquireLock(db, 'counters')
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
        if (changed > 0) await insertLog(db, nowText(clock), log(changed))
        return { recounted, deleted }
      }),

    recountRejectedBytes: (log) =>
      writer.transaction().execute(async (db) => {
        // Rejected pushes are saved and deleted under this lock.
        await acquireLock(db, 'rejected pushes')
        const { rows } = await sql<Row>`
          SELECT * FROM (${REJECTED_BYTES}) c WHERE stored <> counted ORDER BY platform_id
        `.execute(db)
        const recounted: CounterDifference[] = []
        for (const row of rows) {
          await db
            .updateTable('platforms')
            .set({ rejected_bytes: Number(row.counted) })
            .where('platform_id', '=', row.platform_id)
            .execute()
          recounted.push(toBytesDifference(row))
        }
        if (recounted.length > 0) await insertLog(db, nowText(clock), log(recounted.length))
        return recounted
      }),

    deleteLeases: ({ before, after }, log) =>
      writer.transaction().execute(async (db) => {
        const rows = await db
          .deleteFrom('leases')
          .where((eb) => eb.or([eb('expires_at', '<', before), eb('expires_at', '>', after)]))
          .returning('name')
          .execute()
        const names = rows.map(({ name }) => name).sort()
        if (names.length > 0) await insertLog(db, nowText(clock), log(names.length))
        return names
      }),
  }
}
