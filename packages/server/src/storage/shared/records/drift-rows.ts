import type { DriftResponse, ManifestChange, ModuleDrift } from '@recordhub/protocol'
import type { DriftingModule } from '../../../domain/inbox/inbox.ts'
import type { Drift } from '../../../domain/record/drift.ts'
import type { Executor } from '../schema/databases.ts'

const MAX_MANIFEST_CHANGES = 100

/** The latest changes of a platform's manifest, and the drift of its modules, summed over all nodes. */
export async function readDrift(
  db: Executor,
  platformId: number,
): Promise<Omit<DriftResponse, 'success'> | null> {
  const platform = await db
    .selectFrom('platforms')
    .select('manifest_fetched_at')
    .where('platform_id', '=', platformId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (!platform) return null
  const changes = await db
    .selectFrom('manifest_changes')
    .select(['at', 'changes'])
    .where('platform_id', '=', platformId)
    .orderBy('manifest_change_id', 'desc')
    .limit(MAX_MANIFEST_CHANGES)
    .execute()
  const modules = await db
    .selectFrom('modules')
    .select(['module_id', 'record_type', 'module_name', 'drift_policy'])
    .select((eb) => eb.fn.coalesce('drift_since', 'registered_at').as('since'))
    .where('platform_id', '=', platformId)
    .orderBy('position')
    .execute()
  const counted = await db
    .selectFrom('module_drift')
    .select((eb) => [
      'module_id',
      'kind',
      'key',
      eb.fn.sum<number>('count').as('count'),
      eb.fn.min('first_at').as('first_at'),
      eb.fn.max('last_at').as('last_at'),
    ])
    .where('platform_id', '=', platformId)
    .groupBy(['module_id', 'kind', 'key'])
    .orderBy('count', 'desc')
    .orderBy('key')
    .execute()
  const keysOf = (moduleId: number, kind: keyof Drift): ModuleDrift['unknown'] =>
    counted
      .filter((row) => row.module_id === moduleId && row.kind === kind)
      .map(({ key, count, first_at, last_at }) => ({
        key,
        count: Number(count),
        first_at,
        last_at,
      }))
  return {
    manifest_fetched_at: platform.manifest_fetched_at,
    manifest_changes: changes.map((row) => ({ at: row.at, changes: parseChanges(row.changes) })),
    modules: modules.map(({ module_id, ...module }) => ({
      ...module,
      unknown: keysOf(module_id, 'unknown'),
      absent: keysOf(module_id, 'absent'),
      wrong_type: keysOf(module_id, 'wrong_type'),
    })),
  }
}

/** The registered modules with a drift, as `ManifestStore.listDrift`. */
export async function listDrift(db: Executor): Promise<DriftingModule[]> {
  const rows = await db
    .selectFrom('module_drift as d')
    .innerJoin('modules as m', 'm.module_id', 'd.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select((eb) => [
      ...(['m.module_id', 'm.platform_id', 'm.record_type', 'm.module_name', 'd.key'] as const),
      eb.fn.sum<number>('d.count').as('count'),
      eb.fn.min('d.first_at').as('first_at'),
      eb.fn.max('d.last_at').as('last_at'),
    ])
    .where('m.registered_at', 'is not', null)
    .where('p.removed_at', 'is', null)
    .groupBy(['m.module_id', 'm.platform_id', 'm.record_type', 'm.module_name', 'd.key'])
    .orderBy('m.module_id')
    .orderBy('count', 'desc')
    .orderBy('d.key')
    .execute()
  return [...Map.groupBy(rows, ({ module_id }) => module_id).values()].flatMap((ofModule) => {
    const [first] = ofModule
    if (!first) return []
    const { platform_id, record_type, module_name } = first
    const times = ofModule.flatMap(({ first_at, last_at }) => [first_at, last_at]).sort()
    const keys = ofModule.map(({ key }) => key)
    const [first_at = '', last_at = ''] = [times[0], times.at(-1)]
    return [{ platform_id, record_type, module_name, keys, first_at, last_at }]
  })
}

function parseChanges(text: string): ManifestChange[] {
  return JSON.parse(text)
}
