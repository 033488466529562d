import type { CachedResponse } from '../../../domain/pull/cached-response.ts'
import type { StartedTask } from '../../port/pull-store.ts'
import type { Executor } from '../schema/databases.ts'

/** The columns of a module that hold its kept answer; null for none. */
export function toKeptColumns(kept: CachedResponse | null) {
  return {
    cached_etag: kept?.etag ?? null,
    cached_last_modified: kept?.last_modified ?? null,
    cached_fingerprint: kept?.read_tag ?? null,
    cached_records: kept?.records ?? null,
    cached_pushes: kept?.pushes ?? null,
    cached_missing_members:
      kept && kept.missing_members.length > 0 ? JSON.stringify(kept.missing_members) : null,
  }
}

/** How many pushes a module has had, and the answer kept for it, which is kept no longer. */
export async function takeKeptAnswer(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
): Promise<Pick<StartedTask, 'pushes' | 'kept'>> {
  const stored = await db
    .selectFrom('modules')
    .select((eb) => [
      'cached_etag as etag',
      'cached_last_modified as last_modified',
      'cached_fingerprint as read_tag',
      'cached_records as records',
      'cached_pushes as pushes_then',
      'cached_missing_members as missing_members',
      eb
        .selectFrom('module_counters')
        .select((inner) => inner.fn.sum<number | null>('pushes').as('n'))
        .where('platform_id', '=', platform_id)
        .where('module_id', '=', module_id)
        .as('pushes'),
    ])
    .where('module_id', '=', module_id)
    .executeTakeFirst()
  const pushes = Number(stored?.pushes ?? 0)
  if (!stored || stored.read_tag === null) return { pushes, kept: null }
  await dropKeptAnswer(db, module_id)
  const { etag, last_modified, read_tag, records, pushes_then } = stored
  if (records === null || pushes_then !== pushes) return { pushes, kept: null }
  const missing_members: string[] = JSON.parse(stored.missing_members ?? '[]')
  return { pushes, kept: { etag, last_modified, read_tag, records, pushes, missing_members } }
}

export async function dropKeptAnswer(db: Executor, moduleId: number): Promise<void> {
  await db
    .updateTable('modules')
    .set(toKeptColumns(null))
    .where('module_id', '=', moduleId)
    .execute()
}
