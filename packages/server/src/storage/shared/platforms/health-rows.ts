import { sql } from 'kysely'
import {
  countRecentPushes,
  type HealthFacts,
  type PushFacts,
  type RecentRejection,
} from '../../../domain/platform/health.ts'
import { ACCEPTED_PUSHES } from '../records/module-counts.ts'
import { isAccepted, parseGroups } from '../rejected-pushes/rejection-groups.ts'
import type { Executor } from '../schema/databases.ts'
import { MODULE_WITH_PROBLEM } from '../schema/platform-tables.ts'
import { HELD } from '../schema/pull-tables.ts'

/** More open pushes than this are not counted, because that takes long. */
const MAX_COUNTED = 1000

/** What the health of a platform depends on, except for what its summary has. */
export type StoredHealth = Pick<
  HealthFacts,
  | 'modules'
  | 'registered_modules'
  | 'recent_pushes'
  | 'open_pushes'
  | 'silent'
  | 'expiring_key'
  | 'certificate'
  | 'now'
>

const HAS_PROBLEM = sql<boolean>`(${sql.raw(MODULE_WITH_PROBLEM)})`

/**
 * Reads the facts of these platforms, or of all. Reads no rows of modules and keys without a problem: there are thousands of
 * modules, and few have one.
 * @param now for the keys and certificates that expire.
 */
export async function readHealth(
  db: Executor,
  { platformIds, now }: { platformIds: number[] | null; now: string },
): Promise<(platformId: number) => StoredHealth> {
  let selectModules = db
    .selectFrom('modules')
    .select([
      'platform_id',
      'module_name',
      'last_error',
      'failing_since',
      'last_read_finished_at',
      'last_read_incomplete_reasons',
      'rejection_groups',
    ])
    .where('registered_at', 'is not', null)
    .where(HAS_PROBLEM)
    .orderBy('position')
  let selectCounts = db
    .selectFrom('modules')
    .select((eb) => ['platform_id', eb.fn.countAll<number>().as('n')])
    .where('registered_at', 'is not', null)
    .groupBy('platform_id')
  const withFailing = db
    .selectFrom('modules')
    .select('platform_id')
    .where(HAS_PROBLEM)
    .where('last_error', 'is not', null)
  const withExpiring = db
    .selectFrom('hub_keys')
    .select('platform_id')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  let selectKeys = db
    .selectFrom('hub_keys')
    .select(['platform_id', 'hint', 'expires_at', 'last_used_at', 'created_at'])
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('hub_key_id')
  if (platformIds === null) {
    selectCounts = selectCounts.where('platform_id', 'in', withFailing)
    selectKeys = selectKeys.where('platform_id', 'in', withExpiring)
  }
  if (platformIds !== null) {
    selectModules = selectModules.where('platform_id', 'in', platformIds)
    selectCounts = selectCounts.where('platform_id', 'in', platformIds)
    selectKeys = selectKeys.where('platform_id', 'in', platformIds)
  }
  const modules = Map.groupBy(await selectModules.execute(), (row) => row.platform_id)
  const counts = new Map((await selectCounts.execute()).map((row) => [row.platform_id, row.n]))
  const pushFacts = await readPushFacts(db, platformIds)
  const keys = Map.groupBy(await selectKeys.execute(), (row) => row.platform_id)
  const alerts = await db
    .selectFrom('alerts')
    .select(['subject', 'message', 'raised_at'])
    .where('kind', '=', sql.lit('platform_silent'))
    .where('resolved_at', 'is', null)
    .execute()
  const silent = new Map(alerts.map(({ subject, ...alert }) => [subject, alert]))
  return (id) => {
    return {
      modules: (modules.get(id) ?? []).map(toModuleFacts),
      registered_modules: Number(counts.get(id) ?? 0),
      ...pushFacts(id),
      silent: silent.get(String(id)) ?? null,
      expiring_key: findExpiring(keys.get(id) ?? []),
      now,
    }
  }
}

const IS_REJECTED = sql<boolean>`r.code <> ${sql.lit(HELD)}`

/** Reads how the pushes of these platforms fare, or of all, and the certificates. */
export async function readPushFacts(
  db: Executor,
  platformIds: number[] | null,
): Promise<(platformId: number) => PushFacts & Pick<HealthFacts, 'certificate'>> {
  let select = db
    .selectFrom('platforms as p')
    .where('p.removed_at', 'is', null)
    .select([
      'p.platform_id',
      'p.recent_rejections',
      'p.certificate_expires_at',
      'p.certificate_read_at',
      // Of a platform without rejected pushes, no other pushes matter.
      sql<number>`CASE WHEN p.recent_rejections = '[]' THEN 0 ELSE ${ACCEPTED_PUSHES} END`.as(
        'accepted',
      ),
      sql<number>`(SELECT count(*) FROM (SELECT 1 FROM rejected_pushes r
        WHERE r.platform_id = p.platform_id AND r.replayed_at IS NULL AND r.pull_id IS NULL
        AND ${IS_REJECTED} LIMIT ${sql.lit(MAX_COUNTED + 1)}) AS counted)`.as('open'),
      sql<string | null>`(SELECT min(r.first_at) FROM rejected_pushes r
        WHERE r.platform_id = p.platform_id AND r.replayed_at IS NULL AND r.pull_id IS NULL
        AND ${IS_REJECTED})`.as('first_at'),
    ])
  if (platformIds !== null) select = select.where('p.platform_id', 'in', platformIds)
  const rows = new Map((await select.execute()).map((row) => [row.platform_id, row]))
  return (id) => {
    const row = rows.get(id)
    const open = Number(row?.open ?? 0)
    const rejections: RecentRejection[] = JSON.parse(row?.recent_rejections ?? '[]')
    return {
      recent_pushes: countRecentPushes(rejections, Number(row?.accepted ?? 0)),
      open_pushes: {
        count: Math.min(open, MAX_COUNTED),
        is_more: open > MAX_COUNTED,
        first_at: row?.first_at ?? null,
      },
      certificate:
        row?.certificate_expires_at && row.certificate_read_at
          ? { expires_at: row.certificate_expires_at, read_at: row.certificate_read_at }
          : null,
    }
  }
}

function toModuleFacts(row: {
  module_name: string
  last_error: string | null
  failing_since: string | null
  last_read_finished_at: string | null
  last_read_incomplete_reasons: string
  rejection_groups: string
}): HealthFacts['modules'][number] {
  const { last_read_incomplete_reasons: reasons, rejection_groups, ...module } = row
  const open = parseGroups(rejection_groups).filter((group) => !isAccepted(group))
  return {
    ...module,
    is_incomplete: row.last_read_finished_at !== null && reasons !== '[]',
    open_rejections: open.reduce((sum, { count }) => sum + count, 0),
  }
}

/** @param keys of one platform, the newest last. */
function findExpiring(
  keys: readonly {
    hint: string
    expires_at: string | null
    last_used_at: string | null
    created_at: string
  }[],
): HealthFacts['expiring_key'] {
  const current = keys.findLast(({ expires_at }) => expires_at === null)
  const used = keys.findLast(({ expires_at, last_used_at }) => {
    return (
      expires_at !== null && last_used_at !== null && last_used_at >= (current?.created_at ?? '')
    )
  })
  if (!used?.expires_at) return null
  const { hint, expires_at } = used
  return { hint, expires_at, replaced_at: current?.created_at ?? null }
}
