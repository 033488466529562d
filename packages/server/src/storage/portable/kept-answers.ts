import type { KeptAnswer } from '../../domain/kept-answer.ts'
import type { StartedTask } from '../port/pull-store.ts'
import type { Executor } from './databases.ts'

type ModuleKey = { platform_id: number; module_id: number }

const NONE = {
  kept_etag: null,
  kept_last_modified: null,
  kept_read_tag: null,
  kept_records: null,
  kept_pushes: null,
}

/** How many pushes a module has had, and the answer kept for it, which is kept no longer. */
export async function takeKeptAnswer(
  db: Executor,
  module: ModuleKey,
): Promise<Pick<StartedTask, 'pushes' | 'kept'>> {
  const pushes = await countPushes(db, module)
  const stored = await db
    .selectFrom('modules')
    .select([
      'kept_etag as etag',
      'kept_last_modified as last_modified',
      'kept_read_tag as read_tag',
      'kept_records as records',
      'kept_pushes as pushes',
    ])
    .where('module_id', '=', module.module_id)
    .executeTakeFirst()
  if (!stored || stored.read_tag === null) return { pushes, kept: null }
  await forgetKeptAnswer(db, module)
  const { etag, last_modified, read_tag, records } = stored
  const stillSpeaks = records !== null && stored.pushes === pushes
  return {
    pushes,
    kept: stillSpeaks ? { etag, last_modified, read_tag, records, pushes } : null,
  }
}

export async function forgetKeptAnswer(db: Executor, { module_id }: Pick<ModuleKey, 'module_id'>) {
  await db.updateTable('modules').set(NONE).where('module_id', '=', module_id).execute()
}

export async function keepAnswer(
  db: Executor,
  { module_id }: ModuleKey,
  kept: KeptAnswer,
): Promise<void> {
  await db
    .updateTable('modules')
    .set({
      kept_etag: kept.etag,
      kept_last_modified: kept.last_modified,
      kept_read_tag: kept.read_tag,
      kept_records: kept.records,
      kept_pushes: kept.pushes,
    })
    .where('module_id', '=', module_id)
    .execute()
}

async function countPushes(db: Executor, { platform_id, module_id }: ModuleKey): Promise<number> {
  const counted = await db
    .selectFrom('module_counters')
    .select((eb) => eb.fn.sum<number | null>('pushes').as('pushes'))
    .where('platform_id', '=', platform_id)
    .where('module_id', '=', module_id)
    .executeTakeFirst()
  return Number(counted?.pushes ?? 0)
}
