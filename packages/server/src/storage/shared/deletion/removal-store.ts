import type { NamedModule, RemovalStore } from '../../port/deletion-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import type { RunPendingPurge } from './delete-rows.ts'
import { type RemovalDeps, runRemovalStep } from './removal-steps.ts'
import { countStoredRecords, insertRemoval, selectRemovals } from './soft-delete-platform.ts'

export function createRemovalStore(
  { reader, transact, acquireLock }: Databases,
  {
    runPendingPurge,
    ...deps
  }: Omit<RemovalDeps, 'at' | 'acquireLock'> & { runPendingPurge: RunPendingPurge },
): RemovalStore {
  return {
    async previewPlatform(platformId) {
      const count = { platform_id: platformId, module_id: null }
      const row = await reader
        .selectFrom('platforms as p')
        .select((eb) => [
          'p.platform_name',
          eb
            .selectFrom('modules as m')
            .whereRef('m.platform_id', '=', 'p.platform_id')
            .where('m.registered_at', 'is not', null)
            .select((inner) => inner.fn.countAll<number>().as('n'))
            .as('modules'),
          eb
            .selectFrom('rejected_pushes as r')
            .whereRef('r.platform_id', '=', 'p.platform_id')
            .select((inner) => inner.fn.countAll<number>().as('n'))
            .as('rejected_pushes'),
          eb
            .selectFrom('hub_keys as k')
            .whereRef('k.platform_id', '=', 'p.platform_id')
            .where('k.revoked_at', 'is', null)
            .select((inner) => inner.fn.countAll<number>().as('n'))
            .as('hub_api_keys'),
        ])
        .where('p.platform_id', '=', platformId)
        .where('p.removed_at', 'is', null)
        .executeTakeFirst()
      if (!row) return null
      return {
        platform_name: row.platform_name,
        modules: Number(row.modules ?? 0),
        records: await countStoredRecords(reader, count, 'visible'),
        rejected_pushes: Number(row.rejected_pushes ?? 0),
        hub_api_keys: Number(row.hub_api_keys ?? 0),
      }
    },

    async previewModule(named) {
      const module = await findModule(reader, named)
      if (!module) return null
      return {
        platform_name: module.platform_name,
        record_type: module.record_type,
        registered: module.registered_at !== null,
        records: await countStoredRecords(reader, module, 'visible'),
      }
    },

    removeModuleRecords: ({ requested_by, ...named }, log) =>
      transact(['write authorization'], async (db, at) => {
        const module = await findModule(db, named)
        if (!module) return null
        if (module.registered_at !== null) return 'registered'
        const { registered_at: _, ...moduleRef } = module
        const removal = await insertRemoval(db, {
          ...moduleRef,
          records: await countStoredRecords(db, module, 'all'),
          requested_by,
          requested_at: at,
        })
        if (removal) {
          await insertLog(db, at, log)
          return removal
        }
        return selectRemovals(db)
          .where('r.module_id', '=', module.module_id)
          .where('r.finished_at', 'is', null)
          .executeTakeFirstOrThrow()
      }),

    async runNextStep() {
      // The usual case needs no lock.
      if (!(await findOldestRemoval(reader))) return runPendingPurge()
      return transact(['removals'], async (db, at) => {
        const removal = await findOldestRemoval(db)
        if (!removal) return false
        await runRemovalStep(db, removal, { ...deps, acquireLock, at })
        return true
      })
    },

    async listRemovals({ limit, before, platform = null }) {
      let select = selectRemovals(reader)
      if (platform) {
        select = select.where('r.module_id', 'is', null)
        select =
          'id' in platform
            ? select.where('r.platform_id', '=', platform.id)
            : select.where('r.platform_name', '=', platform.name)
      }
      if (before !== null) select = select.where('r.removal_id', '<', before)
      return select.orderBy('r.removal_id', 'desc').limit(limit).execute()
    },
  }
}

function findOldestRemoval(db: Executor) {
  return db
    .selectFrom('removals')
    .select(['removal_id', 'platform_id', 'module_id', 'platform_name', 'record_type', 'removed'])
    .where('finished_at', 'is', null)
    .orderBy('removal_id')
    .limit(1)
    .executeTakeFirst()
}

async function findModule(db: Executor, { platform_id, record_type }: NamedModule) {
  return db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id', 'm.record_type', 'm.registered_at', 'p.platform_name'])
    .where((eb) => eb.and({ 'm.platform_id': platform_id, 'm.record_type': record_type }))
    .where('p.removed_at', 'is', null)
    .executeTakeFirst()
}
