import {
  CONNECTION_TYPE,
  type PlatformHealth,
  type PlatformModule,
  type PlatformSummary,
} from '@recordhub/protocol'
import { type Selectable, sql } from 'kysely'
import { healthOf } from '../../../domain/platform/health.ts'
import type { StoredHubKey } from '../../port/platform-store.ts'
import { isVisible } from '../records/module-scope.ts'
import type { Executor } from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'
import type { StoredHealth } from './health-rows.ts'

/** Selects platforms as the dashboard lists them, with counts from the counters. Leaves out removed platforms. */
export function selectPlatformSummaries(db: Executor) {
  return selectHealthColumns(db).select((eb) => [
    'p.platform_name',
    'p.display_title as platform_title',
    distinctTitle('p').as('display_title'),
    'p.platform_description',
    'p.source_base_url',
    'p.manifest_fetched_at',
    'p.last_error',
    eb
      .selectFrom('modules as m')
      .whereRef('m.platform_id', '=', 'p.platform_id')
      .where('m.registered_at', 'is not', null)
      .select((inner) => inner.fn.countAll<number>().as('n'))
      .as('modules_registered'),
    eb
      .selectFrom('module_counters as c')
      .whereRef('c.platform_id', '=', 'p.platform_id')
      .where(isVisible('c'))
      .select((inner) => inner.fn.sum<number>('c.records').as('n'))
      .as('records'),
    eb
      .selectFrom('hub_keys as k')
      .whereRef('k.platform_id', '=', 'p.platform_id')
      .where('k.revoked_at', 'is', null)
      .select('k.hint')
      .orderBy('k.hub_key_id', 'desc')
      .limit(1)
      .as('hub_api_key_hint'),
  ])
}

/** Selects what the health of platforms depends on, besides `StoredHealth`. Leaves out removed platforms. */
export function selectHealthColumns(db: Executor) {
  return db
    .selectFrom('platforms as p')
    .where('p.removed_at', 'is', null)
    .select((eb) => [
      'p.platform_id',
      'p.status',
      'p.last_pulled_at',
      eb
        .selectFrom('hub_keys as k')
        .whereRef('k.platform_id', '=', 'p.platform_id')
        .select((inner) => inner.fn.max('k.last_used_at').as('at'))
        .as('last_push_at'),
      eb
        .selectFrom('missing_reviews as v')
        .whereRef('v.platform_id', '=', 'p.platform_id')
        .where('v.state', '=', 'pending')
        .select((inner) => inner.fn.countAll<number>().as('n'))
        .as('missing_reviews'),
    ])
}

type HealthRow = Awaited<ReturnType<ReturnType<typeof selectHealthColumns>['execute']>>[number]

export function toHealth(row: HealthRow, stored: StoredHealth): PlatformHealth {
  const { status, last_pulled_at: latest_sync_at, last_push_at } = row
  const missing_reviews = Number(row.missing_reviews ?? 0)
  return healthOf({ ...stored, status, latest_sync_at, last_push_at, missing_reviews })
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof selectPlatformSummaries>['execute']>>[number]

export function toPlatformSummary(row: SummaryRow, stored: StoredHealth): PlatformSummary {
  return {
    health: toHealth(row, stored),
    id: row.platform_id,
    platform_name: row.platform_name,
    platform_title: row.platform_title,
    display_title: row.display_title,
    platform_description: row.platform_description,
    connection_type: CONNECTION_TYPE,
    source_base_url: row.source_base_url,
    status: row.status,
    modules_registered: Number(row.modules_registered ?? 0),
    records: Number(row.records ?? 0),
    manifest_fetched_at: row.manifest_fetched_at,
    latest_sync_at: row.last_pulled_at,
    last_push_at: row.last_push_at,
    hub_api_key_hint: row.hub_api_key_hint,
    last_error: row.last_error,
    missing_reviews: Number(row.missing_reviews ?? 0),
    rejected_pushes: stored.open_pushes.count,
  }
}

/** Reads the modules of a platform, in the order of the manifest. */
export async function readModules(db: Executor, platformId: number): Promise<PlatformModule[]> {
  const rows = await db
    .selectFrom('modules')
    .selectAll()
    .where('platform_id', '=', platformId)
    .orderBy('position')
    .execute()
  return rows.map(await createModuleReader(db, platformId))
}

/** Reads what the modules of a platform, or of all, do not have in their rows. @returns makes a module of its row. */
export async function createModuleReader(
  db: Executor,
  platformId: number | null,
): Promise<(row: Selectable<Tables['modules']>) => PlatformModule> {
  let select = db
    .selectFrom('rejected_pushes')
    .select((eb) => ['platform_id', 'record_type', eb.fn.countAll<number>().as('n')])
    .where('code', '=', sql.lit('module_not_registered'))
    .where('replayed_at', 'is', null)
    .groupBy(['platform_id', 'record_type'])
  if (platformId !== null) select = select.where('platform_id', '=', platformId)
  const keyOf = (row: { platform_id: number; record_type: string | null }) =>
    `${row.platform_id} ${row.record_type}`
  const counts = new Map((await select.execute()).map((row) => [keyOf(row), row.n]))
  return (row) => toPlatformModule(row, counts.get(keyOf(row)) ?? 0)
}

function toPlatformModule(row: Selectable<Tables['modules']>, replayable: number): PlatformModule {
  return {
    module_name: row.module_name,
    record_type: row.record_type,
    description: row.description,
    fields: JSON.parse(row.fields),
    added_at: row.added_at,
    removed_at: row.removed_at,
    removed_fields: JSON.parse(row.removed_fields),
    drift_policy: row.drift_policy,
    registered: row.registered_at !== null,
    complete_at: row.complete_at,
    replayable,
  }
}

export async function insertHubKey(
  db: Executor,
  platform_id: number,
  { key_hash, hint, ciphertext }: StoredHubKey,
  at: string,
): Promise<void> {
  await db
    .insertInto('hub_keys')
    .values({
      platform_id,
      key_hash,
      hint,
      secret_id: await insertSecret(db, 'hub key', ciphertext, at),
      created_at: at,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
}

export async function insertSecret(
  db: Executor,
  purpose: string,
  ciphertext: string,
  at: string,
): Promise<number> {
  const { secret_id } = await db
    .insertInto('secrets')
    .values({ purpose, ciphertext, created_at: at })
    .returning('secret_id')
    .executeTakeFirstOrThrow()
  return secret_id
}

/**
 * The title of a platform as people read it: with its name in parentheses if another platform has the same title.
 * @param platform the alias of the platform in the query.
 * @param name the column with the name. A removed platform no longer has its name, so it has only its title by default.
 */
export function distinctTitleSql(platform: string, name: string | null = null): string {
  const isPresent = name === null ? `${platform}.removed_at IS NULL AND ` : ''
  return `CASE WHEN ${isPresent}EXISTS (SELECT 1 FROM platforms AS other
    WHERE other.display_title = ${platform}.display_title AND other.platform_id <> ${platform}.platform_id
      AND other.removed_at IS NULL)
    THEN ${platform}.display_title || ' (' || ${name ?? `${platform}.platform_name`} || ')'
    ELSE ${platform}.display_title END`
}

/** `distinctTitleSql` as an expression of Kysely. */
export function distinctTitle(...args: Parameters<typeof distinctTitleSql>) {
  return sql<string>`${sql.raw(distinctTitleSql(...args))}`
}
