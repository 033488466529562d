import type { Removal } from '@recordhub/protocol'
import { distinctTitle } from '../platforms/distinct-title.ts'
import type { Executor } from '../schema/databases.ts'

export function selectRemovals(db: Executor) {
  return (
    db
      .selectFrom('removals as r')
      // The rows of the platform and module may be deleted before the removal ends.
      .leftJoin('platforms as p', 'p.platform_id', 'r.platform_id')
      .leftJoin('modules as m', 'm.module_id', 'r.module_id')
      .select((eb) => [
        'r.removal_id as id',
        'r.platform_name',
        eb.fn
          .coalesce(distinctTitle('p', 'r.platform_name'), 'r.platform_name')
          .as('platform_title'),
        'r.record_type',
        eb.fn.coalesce('m.module_name', 'r.record_type').as('module_name'),
        'r.records',
        'r.removed',
        'r.requested_by',
        'r.requested_at',
        'r.finished_at',
      ])
  )
}

/** Returns the number of records of a platform or one of its modules, from the counters. */
export async function countStoredRecords(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number | null },
): Promise<number> {
  let select = db
    .selectFrom('module_counters')
    .select((eb) => eb.fn.sum<number | null>('records').as('records'))
    .where('platform_id', '=', platform_id)
  if (module_id !== null) select = select.where('module_id', '=', module_id)
  const counted = await select.executeTakeFirst()
  return Number(counted?.records ?? 0)
}

export type NewRemoval = {
  platform_id: number
  module_id: number | null
  platform_name: string
  record_type: string | null
  requested_by: string
  requested_at: string
}

/** @returns null if a removal of the same platform or module is in progress. */
export async function insertRemoval(
  db: Executor,
  removal: NewRemoval & { records: number },
): Promise<Removal | null> {
  const row = await db
    .insertInto('removals')
    .values({ ...removal, finished_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('removal_id')
    .executeTakeFirst()
  if (!row) return null
  return selectRemovals(db).where('r.removal_id', '=', row.removal_id).executeTakeFirstOrThrow()
}
