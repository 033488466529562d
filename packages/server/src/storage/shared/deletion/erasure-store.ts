import type { Tombstone } from '@recordhub/protocol'
import type { ErasureStore } from '../../port/erasure-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { invalidateCachedResponse } from '../records/module-counts.ts'
import { findLines, findNamed, findRefused } from '../records/record-traces.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { createEraseRecord, type ErasingParts } from './erase-record.ts'
import type { PayPurge } from './purge.ts'

export function createErasureStore(
  databases: Databases,
  parts: ErasingParts,
  how: { node: string; payPurge: PayPurge },
): ErasureStore {
  const { reader, writer, clock } = databases
  return {
    async previewErasure(recordId) {
      const record = await findNamed(reader, recordId)
      if (!record) return null
      const { platform_id, module_id: _, ...shown } = record
      const history = await reader
        .selectFrom('record_history')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('platform_id', '=', platform_id)
        .where('record_id', '=', recordId)
        .executeTakeFirstOrThrow()
      return {
        ...shown,
        history_entries: Number(history.n),
        rejected_pushes: await countAll(findRefused(reader, record, parts.contains)),
        activity_lines: await countAll(findLines(reader, record, parts.contains)),
      }
    },

    eraseRecord: createEraseRecord(databases, parts, how),

    async listTombstones({ limit, before }) {
      let select = selectTombstones(reader)
      if (before !== null) select = select.where('tombstone_id', '<', before)
      return select.orderBy('tombstone_id', 'desc').limit(limit).execute()
    },

    readTombstone: (tombstoneId) => findTombstone(reader, tombstoneId),

    liftTombstone: (tombstoneId, log) =>
      writer.transaction().execute(async (db) => {
        const lifted = await db
          .deleteFrom('tombstones')
          .where('tombstone_id', '=', tombstoneId)
          .returning(['platform_name', 'record_type'])
          .executeTakeFirst()
        if (!lifted) return false
        const module = await db
          .selectFrom('modules as m')
          .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
          .select(['m.platform_id', 'm.module_id'])
          .where('p.platform_name', '=', lifted.platform_name)
          .where('m.record_type', '=', lifted.record_type)
          .executeTakeFirst()
        if (module) await invalidateCachedResponse(db, module, how.node)
        const at = nowText(clock)
        await insertLog(db, at, log)
        return true
      }),
  }
}

async function countAll(steps: AsyncIterable<unknown[]>): Promise<number> {
  let count = 0
  for await (const step of steps) count += step.length
  return count
}

function selectTombstones(db: Executor) {
  return db
    .selectFrom('tombstones')
    .select([
      'tombstone_id as id',
      'platform_name',
      'record_type',
      'record_id',
      'mode',
      'at',
      'actor',
    ])
}

async function findTombstone(db: Executor, tombstoneId: number): Promise<Tombstone | null> {
  const row = await selectTombstones(db).where('tombstone_id', '=', tombstoneId).executeTakeFirst()
  return row ?? null
}
