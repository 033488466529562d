import type { PullMode } from '@recordhub/protocol'
import type { CachedResponse } from '../../../domain/pull/unchanged.ts'
import type { PullScope, StartedTask } from '../../port/pull-store.ts'
import { DIGEST } from '../records/digest-store.ts'
import { isAccepted, parseGroups } from '../rejected-pushes/rejection-groups.ts'
import type { Executor } from '../schema/databases.ts'

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
 * Reads the number of pushes of a module, its last full read, its accepted exceptions, what is known of its digest, the state of
 * its open review, and its cached response, and deletes the response. Returns null if the module was deleted.
 */
export async function takeCachedResponse(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
): Promise<Omit<StartedTask, 'snapshotSeq'> | null> {
  const sumOf = (count: 'pushes' | 'invalidations') =>
    db
      .selectFrom('module_counters')
      .select((inner) => inner.fn.sum<number | null>(count).as('n'))
      .where((eb) => eb.and({ platform_id, module_id }))
  const stored = await db
    .selectFrom('modules as m')
    .leftJoin('module_digests as d', 'd.module_id', 'm.module_id')
    .leftJoin('missing_reviews as r', (join) =>
      join.onRef('r.module_id', '=', 'm.module_id').on('r.closed_at', 'is', null),
    )
    .select([
      'm.cached_etag as etag',
      'm.cached_last_modified as last_modified',
      'm.cached_fingerprint as read_fingerprint',
      'm.cached_records as records',
      'm.cached_version as version_then',
      'm.cached_missing_members as missing_members',
      'm.digest_epoch',
      'm.full_read_at',
      'm.rejection_groups',
      'r.state as review',
      sumOf('pushes').as('pushes'),
      sumOf('invalidations').as('invalidations'),
    ])
    .select(DIGEST)
    .where('m.module_id', '=', module_id)
    .executeTakeFirst()
  if (!stored) return null
  const { etag, last_modified, read_fingerprint, records, version_then, ...others } = stored
  const { digest_epoch, full_read_at, rejection_groups, review, invalidations, ...rest } = others
  const { pushes: counted, missing_members: members, unstable_reads, ...digest } = rest
  const pushes = Number(counted ?? 0)
  const version = pushes + Number(invalidations ?? 0)
  const none = {
    ...{ pushes, version, digest_epoch, full_read_at, cached_response: null },
    accepted_rejections: parseGroups(rejection_groups).filter(isAccepted),
    history: { ...digest, unstable_reads: unstable_reads ?? 0 },
    review,
  }
  if (read_fingerprint === null) return none
  await deleteCachedResponse(db, module_id)
  if (records === null || version_then !== version) return none
  const missing_members: string[] = JSON.parse(members ?? '[]')
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
