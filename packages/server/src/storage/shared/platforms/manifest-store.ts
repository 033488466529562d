import type { DriftResponse, Manifest, Module, ModuleDrift } from '@recordhub/protocol'
import { type Selectable, sql } from 'kysely'
import type { DriftingModule } from '../../../domain/inbox/inbox.ts'
import {
  findManifestChanges,
  mergeModule,
  type StoredModule,
} from '../../../domain/platform/manifest-difference.ts'
import type { Drift } from '../../../domain/record/drift.ts'
import type { ManifestStore } from '../../port/platform-store.ts'
import { insertActivity, insertAudit, insertLog } from '../activity/activity-rows.ts'
import { deleteCachedResponse } from '../pulls/cached-responses.ts'
import { endExplanations } from '../records/remembered-buckets.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { findRow, updateRows } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'
import { rebuildRetypedFields } from '../search/indexed-fields.ts'
import { insertModule, type PlatformChanges } from './platform-store.ts'

export function createManifestStore(
  { reader, writer, clock, acquireLock }: Databases,
  { change }: PlatformChanges,
): ManifestStore {
  return {
    async reserveManifestFetch(platformId, { at, notSince }) {
      const match = { platform_id: platformId, removed_at: null }
      const columns = ['manifest_fetched_at', 'manifest_requested_at'] as const
      const known = await findRow(reader, 'platforms', match, columns)
      // A time that is still to come is from a clock that was ahead. It must not prevent a fetch until then.
      const isRecent = (time: string | null) => time !== null && time > notSince && time <= at
      if (!known || isRecent(known.manifest_fetched_at) || isRecent(known.manifest_requested_at)) {
        return false
      }
      const reserved = await writer
        .updateTable('platforms')
        .set({ manifest_requested_at: at })
        .where('platform_id', '=', platformId)
        .where((eb) =>
          eb.or([eb('manifest_fetched_at', '<=', notSince), eb('manifest_fetched_at', '>', at)]),
        )
        .where((eb) =>
          eb.or([
            eb('manifest_requested_at', 'is', null),
            eb('manifest_requested_at', '<=', notSince),
            eb('manifest_requested_at', '>', at),
          ]),
        )
        .executeTakeFirst()
      return reserved.numUpdatedRows > 0n
    },

    async saveManifest(fetched, describe) {
      const { platform_id, manifest, at } = fetched
      const recovered_at = nowText(clock)
      const before = await readStoredManifest(reader, platform_id)
      if (!before) return null
      // The usual case: nothing has changed, and writes of records do not wait for a lock.
      if (!hasChanged(before, manifest)) {
        const fetch = { manifest_fetched_at: at, recovered_at }
        await updateRows(writer, 'platforms', { platform_id }, fetch)
        return []
      }
      return change(['write authorization'], async (db) => {
        const known = await readStoredManifest(db, platform_id)
        if (!known) return null
        const changes = findManifestChanges(known, manifest)
        await saveModules(db, known, { ...fetched, recovered_at })
        if (changes.length === 0) return changes
        // This lock follows the write authorization, as in the erasure of a record.
        await acquireLock(db, 'field index')
        await rebuildRetypedFields(db, platform_id)
        await db
          .insertInto('manifest_changes')
          .values({ platform_id, at, changes: JSON.stringify(changes) })
          .execute()
        const log = describe(changes)
        const platform = { platform_id, platform_name: known.platform_name }
        await insertActivity(db, at, { ...log.activity, platform })
        if (log.audit) await insertAudit(db, at, log.audit)
        return changes
      })
    },

    readDrift: (platformId) => readDrift(reader, platformId),

    listDrift: () => listDrift(reader),

    setDriftPolicy: ({ platform_id, record_type, drift_policy, at }, log) =>
      change([], async (db) => {
        const match = { platform_id, record_type, drift_policy: sql`<> ${drift_policy}` }
        const changed = await updateRows(db, 'modules', match, { drift_policy })
        const known = await db
          .selectFrom('modules as m')
          .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
          .select(['m.platform_id', 'm.module_id', 'p.platform_name'])
          .where((eb) => eb.and({ 'm.platform_id': platform_id, 'm.record_type': record_type }))
          .executeTakeFirst()
        if (changed > 0 && known) {
          // A policy decides which records are rejected.
          await endExplanations(db, [known.module_id])
          await insertLog(db, at, log, known)
        }
        return known !== undefined
      }),
  }
}

type StoredManifest = Description & {
  platform_name: string
  /** The modules that the manifest names. */
  modules: StoredModule[]
  rows: Map<string, { row: Selectable<Tables['modules']>; stored: StoredModule }>
}
type Description = Pick<Manifest, 'platform_title' | 'platform_description'>

async function readStoredManifest(
  db: Executor,
  platformId: number,
): Promise<StoredManifest | null> {
  const platform = await db
    .selectFrom('platforms')
    .select(['platform_name', 'display_title as platform_title', 'platform_description'])
    .where('platform_id', '=', platformId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (!platform) return null
  const found = await db
    .selectFrom('modules')
    .selectAll()
    .where('platform_id', '=', platformId)
    .orderBy('position')
    .execute()
  const rows = new Map(found.map((row) => [row.record_type, { row, stored: toStoredModule(row) }]))
  const modules = [...rows.values()]
    .map(({ stored }) => stored)
    .filter((module) => !module.removed_at)
  return { ...platform, modules, rows }
}

/** Whether a manifest differs from the stored manifest, including the order of modules and fields. */
function hasChanged(known: StoredManifest, manifest: Manifest): boolean {
  const orderOf = (modules: Module[]) =>
    JSON.stringify(
      modules.map((module) => [module.record_type, module.fields.map((field) => field.key)]),
    )
  return (
    findManifestChanges(known, manifest).length > 0 ||
    orderOf(known.modules) !== orderOf(manifest.modules)
  )
}

async function saveModules(
  db: Executor,
  { rows }: StoredManifest,
  fetched: { platform_id: number; manifest: Manifest; at: string; recovered_at: string },
): Promise<void> {
  const { platform_id, manifest, at, recovered_at } = fetched
  const { platform_title, platform_description, modules } = manifest
  const remaining = new Map(rows)
  for (const [position, module] of modules.entries()) {
    const { row, stored } = remaining.get(module.record_type) ?? { row: null, stored: null }
    const next = mergeModule(stored, module, at)
    if (next && row) await updateModule(db, row, next, { position, at })
    else {
      const unregistered = { position, registered_at: null, added_at: at }
      await insertModule(db, platform_id, { ...module, ...unregistered })
    }
    remaining.delete(module.record_type)
  }
  // Modules that are no longer in the manifest come last.
  for (const [index, { row, stored }] of [...remaining.values()].entries()) {
    const next = mergeModule(stored, null, at)
    if (next) await updateModule(db, row, next, { position: modules.length + index, at })
  }
  // This row is locked after the modules, as at the end of a pull task.
  const texts = { display_title: platform_title, platform_description }
  const fetch = { manifest_fetched_at: at, recovered_at }
  await updateRows(db, 'platforms', { platform_id }, { ...texts, ...fetch })
}

function toStoredModule(row: Selectable<Tables['modules']>): StoredModule {
  const { module_name, record_type, description, removed_at } = row
  return {
    module_name,
    record_type,
    description,
    removed_at,
    fields: JSON.parse(row.fields),
    removed_fields: JSON.parse(row.removed_fields),
  }
}

async function updateModule(
  db: Executor,
  row: Selectable<Tables['modules']>,
  next: StoredModule,
  { position, at }: { position: number; at: string },
): Promise<void> {
  const { module_id } = row
  const { module_name, description, removed_at } = next
  const columns = {
    module_name,
    description,
    removed_at,
    fields: JSON.stringify(next.fields),
    removed_fields: JSON.stringify(next.removed_fields),
  }
  const isUnchanged =
    row.position === position &&
    row.module_name === columns.module_name &&
    row.description === columns.description &&
    row.removed_at === columns.removed_at &&
    row.fields === columns.fields &&
    row.removed_fields === columns.removed_fields
  if (isUnchanged) return
  const fieldsChanged = row.fields !== columns.fields
  const driftSince = fieldsChanged ? { drift_since: at } : {}
  await updateRows(db, 'modules', { module_id }, { ...columns, position, ...driftSince })
  if (!fieldsChanged) return
  await db.deleteFrom('module_drift').where('module_id', '=', module_id).execute()
  await deleteCachedResponse(db, module_id)
  await endExplanations(db, [module_id])
}

const MAX_MANIFEST_CHANGES = 100

/** The latest changes of a platform's manifest, and the drift of its modules, summed over all nodes. */
async function readDrift(
  db: Executor,
  platformId: number,
): Promise<Omit<DriftResponse, 'success'> | null> {
  const match = { platform_id: platformId, removed_at: null }
  const platform = await findRow(db, 'platforms', match, ['manifest_fetched_at'])
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
    manifest_changes: changes.map((row) => ({ at: row.at, changes: JSON.parse(row.changes) })),
    modules: modules.map(({ module_id, ...module }) => ({
      ...module,
      unknown: keysOf(module_id, 'unknown'),
      absent: keysOf(module_id, 'absent'),
      wrong_type: keysOf(module_id, 'wrong_type'),
    })),
  }
}

/** The registered modules with a drift, as `ManifestStore.listDrift`. */
async function listDrift(db: Executor): Promise<DriftingModule[]> {
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
