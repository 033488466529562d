import type { NamedModule } from '../../port/deletion-store.ts'
import { invalidateCachedResponse } from '../records/module-counts.ts'
import type { Executor } from '../schema/databases.ts'
import { listRows, updateRows } from '../schema/rows.ts'

type ModuleRegistration = { platform_id: number; record_types: string[]; at: string }

export type Registered =
  | { outcome: 'changed'; isChange: boolean }
  | { outcome: 'unknown_module' | 'removing'; record_type: string }

/**
 * Registers these modules and no others. The caller holds the lock of write authorization, so that no write is in
 * progress.
 */
export async function registerModules(
  db: Executor,
  { platform_id, record_types, at }: ModuleRegistration,
  node: string,
): Promise<Registered> {
  const columns = ['platform_id', 'module_id', 'record_type', 'registered_at'] as const
  const modules = await listRows(db, 'modules', { platform_id }, columns)
  const known = new Set(modules.map((module) => module.record_type))
  const unknown = record_types.find((record_type) => !known.has(record_type))
  if (unknown !== undefined) return { outcome: 'unknown_module', record_type: unknown }
  const selected = new Set(record_types)
  const changed = modules.filter(
    ({ record_type, registered_at }) => selected.has(record_type) !== (registered_at !== null),
  )
  const removing = new Set(await listRemoving(db, platform_id))
  const blocked = changed.find(({ record_type }) => removing.has(record_type))
  if (blocked) return { outcome: 'removing', record_type: blocked.record_type }
  for (const module of changed) {
    const { module_id, record_type } = module
    await db
      .updateTable('modules')
      .set({
        registered_at: selected.has(record_type) ? at : null,
        last_error: null,
        last_problem: null,
        failures_in_row: 0,
        failing_since: null,
        // Its records may be deleted before the next read, so earlier reads no longer prove completeness.
        complete_at: null,
        complete_pushes: null,
        full_read_at: null,
        confirmed_at: null,
        confirmed_by: null,
        last_read_records: null,
        last_read_listed: null,
        rejection_groups: '[]',
        known_rejected: 0,
        known_not_listed: 0,
      })
      .where('module_id', '=', module_id)
      .execute()
    await db
      .updateTable('module_digests')
      .set({ verified_at: null, verified_by: null, unversioned: null })
      .where('module_id', '=', module_id)
      .execute()
    await invalidateCachedResponse(db, module, node)
    await db.deleteFrom('missing_candidates').where('module_id', '=', module_id).execute()
    const resolved = { state: 'resolved', closed_at: at } as const
    await updateRows(db, 'missing_reviews', { module_id, closed_at: null }, resolved)
  }
  return { outcome: 'changed', isChange: changed.length > 0 }
}

/** Returns the modules of a platform whose records are being deleted. */
async function listRemoving(
  db: Executor,
  platformId: number,
): Promise<NamedModule['record_type'][]> {
  const rows = await db
    .selectFrom('removals as v')
    .innerJoin('modules as m', 'm.module_id', 'v.module_id')
    .select('m.record_type')
    .where('v.platform_id', '=', platformId)
    .where('v.finished_at', 'is', null)
    .execute()
  return rows.map((row) => row.record_type)
}
