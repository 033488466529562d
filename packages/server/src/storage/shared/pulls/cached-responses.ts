import type { PullMode } from '@recordhub/protocol'
import type { ExpressionBuilder } from 'kysely'
import type { CachedResponse } from '../../../domain/pull/unchanged.ts'
import type { PullScope, StartedTask } from '../../port/pull-store.ts'
import { isAccepted, parseGroups } from '../rejected-pushes/rejection-groups.ts'
import type { Executor } from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'

/** Returns the columns of a module for its cached response; null for none. */
export function toCachedResponseColumns(response: CachedResponse | null) {
  return {
    cached_etag: response?.etag ?? null,
    cached_last_modified: response?.last_modified ?? null,
    cached_fingerprint: response?.read_fingerprint ?? null,
    cached_records: response?.records ?? null,
    cached_version: response?.version ?? null,
    cached_missing_members:
      response && response.missing_members.length > 0
        ? JSON.stringify(response.missing_members)
        : null,
  }
}

/**
 * Reads the number of pushes of a module, its last full read, its accepted exceptions and its cached response, and deletes
 * the response.
 */
export async function takeCachedResponse(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
): Promise<Omit<StartedTask, 'snapshotSeq'>> {
  const sumOf = (eb: ExpressionBuilder<Tables, 'modules'>, count: 'pushes' | 'invalidations') =>
    eb
      .selectFrom('module_counters')
      .select((inner) => inner.fn.sum<number | null>(count).as('n'))
      .where((eb) => eb.and({ platform_id, module_id }))
  const stored = await db
    .selectFrom('modules')
    .select((eb) => [
      'cached_etag as etag',
      'cached_last_modified as last_modified',
      'cached_fingerprint as read_fingerprint',
      'cached_records as records',
      'cached_version as version_then',
      'cached_missing_members as missing_members',
      'full_read_at',
      'rejection_groups',
      sumOf(eb, 'pushes').as('pushes'),
      sumOf(eb, 'invalidations').as('invalidations'),
    ])
    .where('module_id', '=', module_id)
    .executeTakeFirst()
  const pushes = Number(stored?.pushes ?? 0)
  const version = pushes + Number(stored?.invalidations ?? 0)
  const full_read_at = stored?.full_read_at ?? null
  const accepted_rejections = parseGroups(stored?.rejection_groups).filter(isAccepted)
  const none = { pushes, version, full_read_at, accepted_rejections, cached_response: null }
  if (!stored || stored.read_fingerprint === null) return none
  await deleteCachedResponse(db, module_id)
  const { etag, last_modified, read_fingerprint, records, version_then } = stored
  if (records === null || version_then !== version) return none
  const missing_members: string[] = JSON.parse(stored.missing_members ?? '[]')
  const validators = { etag, last_modified }
  const cached_response = { ...validators, read_fingerprint, records, version, missing_members }
  return { ...none, cached_response }
}

export async function deleteCachedResponse(db: Executor, moduleId: number): Promise<void> {
  await db
    .updateTable('modules')
    .set(toCachedResponseColumns(null))
    .where('module_id', '=', moduleId)
    .execute()
}

/** Sets the mode of the next successful read of these modules. @returns the number of modules. */
export async function setNextMode(
  db: Executor,
  scope: PullScope | null,
  next_pull_mode: PullMode,
): Promise<number> {
  let update = db
    .updateTable('modules')
    .set({ next_pull_mode })
    .where('registered_at', 'is not', null)
  if (scope) update = update.where('platform_id', '=', scope.platform_id)
  if (scope?.record_types) update = update.where('record_type', 'in', scope.record_types)
  const updated = await update.executeTakeFirst()
  return Number(updated.numUpdatedRows)
}
