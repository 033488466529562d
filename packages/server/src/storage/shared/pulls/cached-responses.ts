import type { CachedResponse } from '../../../domain/pull/cached-response.ts'
import type { StartedTask } from '../../port/pull-store.ts'
import type { Executor } from '../schema/databases.ts'

/** Returns the columns of a module for its cached response; null for none. */
export function toCachedResponseColumns(response: CachedResponse | null) {
  return {
    kept_etag: response?.etag ?? null,
    kept_last_modified: response?.last_modified ?? null,
    kept_read_tag: response?.read_tag ?? null,
    kept_records: response?.records ?? null,
    kept_pushes: response?.pushes ?? null,
    kept_missing_members:
      response && response.missing_members.length > 0
        ? JSON.stringify(response.missing_members)
        : null,
  }
}

/** Returns the number of pushes of a module and its cached response, and deletes the response. */
export async function takeCachedResponse(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
): Promise<Pick<StartedTask, 'pushes' | 'kept'>> {
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
  if (!stored || stored.read_tag === null) return { pushes, kept: null }
  await deleteCachedResponse(db, module_id)
  const { etag, last_modified, read_tag, records, pushes_then } = stored
  if (records === null || pushes_then !== pushes) return { pushes, kept: null }
  const missing_members: string[] = JSON.parse(stored.missing_members ?? '[]')
  return { pushes, kept: { etag, last_modified, read_tag, records, pushes, missing_members } }
}

export async function deleteCachedResponse(db: Executor, moduleId: number): Promise<void> {
  await db
    .updateTable('modules')
    .set(toCachedResponseColumns(null))
    .where('module_id', '=', moduleId)
    .execute()
}
