import type { DriftResponse, ManifestChange, ModuleDrift } from '@recordhub/protocol'
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

function parseChanges(text: string): ManifestChange[] {
  return JSON.parse(text)
}
