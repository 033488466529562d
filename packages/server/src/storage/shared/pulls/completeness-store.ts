/** Which registered modules are complete: the columns that a read leaves, and the list that is computed from them. */
import type { IncompleteReason, ModuleCompleteness } from '@recordhub/protocol'
import { sql } from 'kysely'
import { isNotStable, nextDigestAt } from '../../../domain/pull/read-mode.ts'
import { type CachedResponse, identifyManifest } from '../../../domain/pull/unchanged.ts'
import { findExplainedReasons } from '../../../domain/record/completeness.ts'
import type { StoredRejectionGroup } from '../../../domain/record/rejection-groups.ts'
import type { CompletenessStore, PullTaskResult } from '../../port/pull-store.ts'
import { isAccepted, parseGroups } from '../rejected-pushes/rejection-groups.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { findRow } from '../schema/rows.ts'
import { countMarked, countUnmarked, findOpenReview } from './missing-store.ts'

export function createCompletenessStore({ reader }: Pick<Databases, 'reader'>): CompletenessStore {
  return { listCompleteness: (query) => listCompleteness(reader, query) }
}

/** The result of the last read of each registered module, and its current counters. */
async function listCompleteness(
  db: Executor,
  { platform, limit, after }: Parameters<CompletenessStore['listCompleteness']>[0],
): Promise<ModuleCompleteness[]> {
  let select = db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .leftJoin('module_digests as d', 'd.module_id', 'm.module_id')
    .select([
      ...DIGEST_COLUMNS,
      // The fields may be long, and few modules have versions that were found not to be stable.
      sql<string | null>`CASE WHEN d.unstable_at IS NOT NULL THEN m.fields END`.as('fields'),
      'p.source_base_url',
      'm.module_id',
      'p.platform_name',
      'm.module_name',
      'm.record_type',
      'm.complete_at',
      'm.complete_pushes',
      'm.confirmed_at',
      'm.confirmed_by',
      'm.last_read_finished_at as last_read_at',
      'm.last_read_records',
      'm.last_read_listed as listed',
      'm.last_read_incomplete_reasons',
      'm.last_error',
      'm.last_problem',
      'm.rejection_groups',
      counterOf('records').as('records'),
      counterOf('pushes').as('pushes'),
      countMarked(sql.ref('m.platform_id'), sql.ref('m.module_id')).as('missing'),
      sql<number>`(SELECT count(DISTINCT h.record_id) FROM holds h WHERE h.module_id = m.module_id)`.as(
        'held',
      ),
    ])
    .where('m.registered_at', 'is not', null)
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  if (after !== null) select = select.where('m.module_id', '>', after)
  const rows = await select.orderBy('m.module_id').limit(limit).execute()
  return rows.map((row) => {
    const { last_read_records, last_read_incomplete_reasons, ...others } = row
    const { pushes, last_problem, rejection_groups, ...columns } = others
    const { module, verification, verifiedPushes } = splitVerification(columns)
    const records = Number(row.records)
    const missing = Number(row.missing)
    return {
      ...module,
      ...verification,
      records,
      missing,
      held: Number(row.held),
      accepted: countAccepted(parseGroups(rejection_groups)),
      last_warning: module.last_error === null ? last_problem : null,
      incomplete_reasons: JSON.parse(last_read_incomplete_reasons),
      pushed_since: verifiedPushes === null ? null : Number(pushes) - verifiedPushes,
      only_here:
        last_read_records === null ? null : Math.max(0, records - missing - last_read_records),
    }
  })
}

const DIGEST_COLUMNS = [
  'd.verified_at as digest_verified_at',
  'd.verified_records',
  'd.verified_of',
  'd.verified_explained',
  'd.verified_pushes',
  'd.unversioned',
  'd.unstable_at',
  'd.unstable_manifest_hash',
  'd.withdrawn_at',
  'd.withdrawn_records',
  'd.withdrawn_reference',
  'd.asked_at',
  'd.digest_ms',
] as const

type VerificationRow = { complete_at: string | null; source_base_url: string } & {
  [Column in
    | 'digest_verified_at'
    | 'unstable_at'
    | 'unstable_manifest_hash'
    | 'fields'
    | 'withdrawn_at'
    | 'withdrawn_reference'
    | 'asked_at']: string | null
} & {
  [Column in
    | 'verified_records'
    | 'verified_of'
    | 'verified_explained'
    | 'verified_pushes'
    | 'complete_pushes'
    | 'unversioned'
    | 'withdrawn_records'
    | 'digest_ms']: number | null
}

/** Separates the columns of digests. The later one of a complete read and an equal digest is the verification. */
function splitVerification<Row extends VerificationRow>(row: Row) {
  const { digest_verified_at, verified_records, verified_of, verified_explained, ...counts } = row
  const { verified_pushes, complete_pushes, ...others } = counts
  const { unversioned, unstable_at, unstable_manifest_hash, ...withdrawal } = others
  const { withdrawn_at, withdrawn_records, withdrawn_reference, ...rest } = withdrawal
  const { asked_at, digest_ms, fields, source_base_url, ...module } = rest
  const { complete_at } = row
  const isByDigest = digest_verified_at !== null && digest_verified_at >= (complete_at ?? '')
  const next = nextDigestAt({ asked_at, digest_ms })
  const hasCounts = isByDigest && verified_records !== null && verified_of !== null
  const verified_by = isByDigest ? ('digest' as const) : ('read' as const)
  const verified_at = isByDigest ? digest_verified_at : complete_at
  const verification = {
    verified_at,
    verified_by: verified_at === null ? null : verified_by,
    verified: hasCounts
      ? { records: verified_records, of: verified_of, explained: verified_explained ?? 0 }
      : null,
    digest:
      unversioned === null && withdrawn_at === null && asked_at === null
        ? null
        : {
            unversioned,
            not_stable:
              fields !== null &&
              isNotStable(
                { unstable_at, unstable_manifest_hash },
                identifyManifest(JSON.parse(fields), source_base_url),
              ),
            ...{ withdrawn_at, withdrawn_records, withdrawn_reference, asked_at, digest_ms },
            next_at: next === null ? null : new Date(next).toISOString(),
          },
  }
  return { module, verification, verifiedPushes: isByDigest ? verified_pushes : complete_pushes }
}

function counterOf(name: 'records' | 'pushes') {
  return sql<number>`coalesce((SELECT sum(c.${sql.ref(name)}) FROM module_counters c
    WHERE c.platform_id = m.platform_id AND c.module_id = m.module_id), 0)`
}

/** Returns the columns of a module after a comparison by digest. What the last list lacked matters until one verifies. */
export async function toComparedColumns(
  db: Executor,
  module: { module_id: number },
  { records, listed, verified }: NonNullable<PullTaskResult['compared']>,
  at: string,
) {
  return {
    last_read_finished_at: at,
    last_read_records: records,
    last_read_listed: listed,
    ...(verified
      ? { last_read_incomplete_reasons: JSON.stringify(await findRemaining(db, module, verified)) }
      : {}),
  }
}

async function findRemaining(
  db: Executor,
  { module_id }: { module_id: number },
  verified: { explained: number; rejected: number },
): Promise<IncompleteReason[]> {
  if (verified.explained === 0) return []
  const columns = ['rejection_groups', 'full_read_at'] as const
  const stored = await findRow(db, 'modules', { module_id }, columns)
  const groups = parseGroups(stored?.rejection_groups)
  const newer = await db
    .selectFrom('digest_buckets')
    .select('prefix')
    .where((eb) => eb.and({ module_id, state: 'explained' }))
    .where('rejected', '>', 0)
    .where('since', '>', stored?.full_read_at ?? '')
    .limit(1)
    .executeTakeFirst()
  // An acceptance is valid until the rejected records change, which the groups of the last list do not show.
  const isAsListed =
    !newer && groups.reduce((sum, { count }) => sum + count, 0) === verified.rejected
  const accepted = isAsListed ? countAccepted(groups) : 0
  const hasOpenReview = (await findOpenReview(db, module_id)) !== null
  const held = await db
    .selectFrom('holds')
    .select('record_id')
    .where('module_id', '=', module_id)
    .limit(1)
    .executeTakeFirst()
  return findExplainedReasons({ ...verified, accepted, hasOpenReview, hasHolds: !!held })
}

function countAccepted(groups: readonly StoredRejectionGroup[]): number {
  return groups.filter(isAccepted).reduce((sum, { count }) => sum + count, 0)
}

/** Returns the columns of a module after a complete read. */
export async function toLastReadColumns(
  db: Executor,
  module: { platform_id: number; module_id: number },
  options: NonNullable<PullTaskResult['read']> & {
    /** The number of elements of the response, rejected ones included. */
    listed: number
  },
  { cached, at }: { cached: CachedResponse | null; at: string },
) {
  const {
    snapshotSeq,
    requested_at,
    records,
    rejected_present,
    incomplete_reasons,
    pushes,
    listed,
  } = options
  // A read proves nothing about records that it did not contain, so it replaces the snapshot only if it contained all.
  const hasSeenAll = (await countUnmarked(db, module)) === records
  return {
    last_read_finished_at: at,
    last_read_records: records + rejected_present,
    ...(hasSeenAll
      ? { last_read_snapshot_seq: snapshotSeq, last_read_requested_at: requested_at }
      : {}),
    ...(incomplete_reasons === null
      ? toConfirmation(cached, at)
      : {
          full_read_at: at,
          last_read_listed: listed,
          ...toConfirmation(null, at),
          last_read_incomplete_reasons: JSON.stringify(incomplete_reasons),
        }),
    ...(incomplete_reasons?.length === 0 ? { complete_at: at, complete_pushes: pushes } : {}),
  }
}

/**
 * The columns of the last 304 response, which confirmed the cached response; null for none. It only shows that the
 * platform sent the same validator, so it verifies nothing.
 */
function toConfirmation(confirmed: CachedResponse | null, at: string) {
  if (!confirmed) return { confirmed_at: null, confirmed_by: null }
  // A platform that receives both conditions evaluates only the ETag (RFC 9110, 13.2.2).
  const confirmed_by = confirmed.etag === null ? ('last_modified' as const) : ('etag' as const)
  return { confirmed_at: at, confirmed_by }
}
