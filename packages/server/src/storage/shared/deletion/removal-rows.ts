import type { Removal } from '@recordhub/protocol'
import { distinctTitle } from '../platforms/distinct-title.ts'
import { isVisible } from '../records/visible-modules.ts'
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
          .coalesce(distinctTitle('p', 'r.platform_name'), 'r.platform_title')
          .as('platform_title'),
        'r.record_type',
        eb.fn.coalesce('m.module_name', 'r.module_name').as('module_name'),
        'r.records',
        'r.removed',
        'r.requested_by',
        'r.requested_at',
        'r.finished_at',
      ])
  )
}

/**
 * Returns the number of records of a platform or one of its modules, from the counters.
 * @param counted whether records that are being deleted count.
 */
export async function countStoredRecords(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number | null },
  counted: 'all' | 'visible',
): Promise<number> {
  let select = db
    .selectFrom('module_counters as c')
    .select((eb) => eb.fn.sum<number | null>('c.records').as('records'))
    .where('c.platform_id', '=', platform_id)
  if (module_id !== null) select = select.where('c.module_id', '=', module_id)
  if (counted === 'visible') select = select.where(isVisible('c'))
  const row = await select.executeTakeFirst()
  return Number(row?.records ?? 0)
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
  const { platform_id, module_id } = removal
  const { platform_title } = await db
    .selectFrom('platforms')
    .select('display_title as platform_title')
    .where('platform_id', '=', platform_id)
    .executeTakeFirstOrThrow()
  const module = await db
    .selectFrom('modules')
    .select('module_name')
    .where('module_id', '=', module_id)
    .executeTakeFirst()
  const names = { platform_title, module_name: module?.module_name ?? null }
  const row = await db
    .insertInto('removals')
    .values({ ...removal, ...names, finished_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('removal_id')
    .executeTakeFirst()
  if (!row) return null
  return selectRemovals(db).where('r.removal_id', '=', row.removal_id).executeTakeFirstOrThrow()
}
