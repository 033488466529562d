import type { CachedResponse } from '../../../domain/pull/cached-response.ts'
import type { StartedTask } from '../../port/pull-store.ts'
import type { Executor } from '../schema/databases.ts'

/** The columns of a module that hold its kept answer; null for none. */
export function toKeptColumns(kept: CachedResponse | null) {
  return {
    kept_etag: kept?.etag ?? null,
    kept_last_modified: kept?.last_modified ?? null,
    kept_read_tag: kept?.read_fingerprint ?? null,
    kept_records: kept?.records ?? null,
    kept_pushes: kept?.pushes ?? null,
    kept_missing_members:
      kept && kept.missing_members.length > 0 ? JSON.stringify(kept.missing_members) : null,
  }
}

/** How many pushes a module has had, and the answer kept for it, which is kept no longer. */
export async function takeKeptAnswer(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
): Promise<Pick<StartedTask, 'pushes' | 'cached_response'>> {
  const stored = await db
    .selectFrom('modules')
    .select((eb) => [
      'kept_etag as etag',
      'kept_last_modified as last_modified',
      'kept_read_tag as read_tag',
      'kept_records as records',
      'kept_pushes as pushes_then',
      'kept_missing_members as missing_members',
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
  if (!stored || stored.read_tag === null) return { pushes, cached_response: null }
  await dropKeptAnswer(db, module_id)
  const { etag, last_modified, read_tag: read_fingerprint, records, pushes_then } = stored
  if (records === null || pushes_then !== pushes) return { pushes, cached_response: null }
  const missing_members: string[] = JSON.parse(stored.missing_members ?? '[]')
  const validators = { etag, last_modified }
  const cached_response = { ...validators, read_fingerprint, records, pushes, missing_members }
  return { pushes, cached_response }
}

export async function dropKeptAnswer(db: Executor, moduleId: number): Promise<void> {
  await db
    .updateTable('modules')
    .set(toKeptColumns(null))
    .where('module_id', '=', moduleId)
    .execute()
}
