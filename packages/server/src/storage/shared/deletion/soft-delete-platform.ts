import type { Removal } from '@recordhub/protocol'
import type { PlatformStore } from '../../port/platform-store.ts'
import { distinctTitle } from '../platforms/platform-rows.ts'
import { isVisible } from '../records/module-scope.ts'
import type { Executor } from '../schema/databases.ts'
import { findRow, updateRows } from '../schema/rows.ts'

type Request = Parameters<PlatformStore['removePlatform']>[0]

const UNFINISHED = ['queued', 'running'] as const

/**
 * Marks a platform as removed. Ends its pull tasks, deletes its keys and renames it, so that its name can be registered
 * again. The steps of the removal delete everything else (`removal-steps.ts`). The caller holds the lock of write authorization. Rows are
 * locked in the same order as at the end of a pull task.
 * @returns null if no platform has this id and name.
 */
export async function softDeletePlatform(
  db: Executor,
  { platform_id, platform_name, requested_by, at }: Request,
): Promise<Removal | null> {
  const match = { platform_id, platform_name, removed_at: null }
  const platform = await findRow(db, 'platforms', match, ['source_key_secret_id'])
  if (!platform) return null
  await cancelTasks(db, platform_id, at)
  await updateRows(db, 'modules', { platform_id }, { registered_at: null })
  await updateRows(
    db,
    'platforms',
    { platform_id },
    {
      platform_name: `${platform_name} (removed ${platform_id}, ${at})`,
      status: 'inactive',
      removed_at: at,
      source_base_url: '',
      last_error: null,
    },
  )
  await deleteKeys(db, platform_id, platform.source_key_secret_id)
  await db.deleteFrom('missing_candidates').where('platform_id', '=', platform_id).execute()
  await db.deleteFrom('missing_reviews').where('platform_id', '=', platform_id).execute()
  const removal = {
    platform_id,
    module_id: null,
    platform_name,
    record_type: null,
    records: await countStoredRecords(db, { platform_id, module_id: null }, 'all'),
    requested_by,
    requested_at: at,
  }
  await db.deleteFrom('module_counters').where('platform_id', '=', platform_id).execute()
  // The removal of the platform includes those of its modules.
  await updateRows(db, 'removals', { platform_id, finished_at: null }, { finished_at: at })
  return insertRemoval(db, removal)
}

async function cancelTasks(db: Executor, platformId: number, at: string): Promise<void> {
  const unfinished = db.selectFrom('pulls').select('pull_id').where('state', 'in', UNFINISHED)
  await db
    .updateTable('pull_tasks')
    .set({
      state: 'cancelled',
      error: 'The platform was removed during the pull.',
      finished_at: at,
    })
    .where('pull_id', 'in', unfinished)
    .where('platform_id', '=', platformId)
    .where('state', 'in', UNFINISHED)
    .execute()
}

async function deleteKeys(db: Executor, platformId: number, sourceKey: number): Promise<void> {
  const keys = await db
    .deleteFrom('hub_keys')
    .where('platform_id', '=', platformId)
    .returning('secret_id')
    .execute()
  const secrets = keys.map((key) => key.secret_id)
  if (secrets.length > 0) {
    await db.deleteFrom('secrets').where('secret_id', 'in', secrets).execute()
  }
  // The row of the platform references this row, so the last step of the removal deletes both.
  await updateRows(db, 'secrets', { secret_id: sourceKey }, { ciphertext: '' })
}

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

type NewRemoval = {
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
