import type { Removal } from '@recordhub/protocol'
import type { Executor } from './databases.ts'

export function selectRemovals(db: Executor) {
  return db
    .selectFrom('removals')
    .select([
      'removal_id as id',
      'platform_name',
      'record_type',
      'records',
      'removed',
      'requested_by',
      'requested_at',
      'finished_at',
    ])
}

/** How many records a platform holds, or one module of it, from the counters. */
export async function countStored(
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

/** @returns null where one is under way already. */
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
  return selectRemovals(db).where('removal_id', '=', row.removal_id).executeTakeFirstOrThrow()
}
