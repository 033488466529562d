import type { Manifest, Module } from '@recordhub/protocol'
import type { Selectable } from 'kysely'
import {
  findManifestChanges,
  mergeModule,
  type StoredModule,
} from '../../../domain/platform/manifest-difference.ts'
import type { ManifestStore } from '../../port/manifest-store.ts'
import { insertActivity, insertAudit, insertLog } from '../activity/activity-rows.ts'
import { dropKeptAnswer } from '../pulls/cached-responses.ts'
import { retypeFields } from '../record-list/indexed-fields.ts'
import { listCompleteness } from '../records/completeness-rows.ts'
import { readDrift } from '../records/drift-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import type { ModulesTable } from '../schema/tables.ts'
import { insertModule, type PlatformChanges } from './platform-store.ts'

export function createManifestStore(
  { reader, writer, clock, hold }: Databases,
  { change }: PlatformChanges,
): ManifestStore {
  return {
    async claimManifest(platformId, { at, notSince }) {
      const known = await reader
        .selectFrom('platforms')
        .select(['manifest_fetched_at', 'manifest_asked_at'])
        .where('platform_id', '=', platformId)
        .where('removed_at', 'is', null)
        .executeTakeFirst()
      if (!known || known.manifest_fetched_at > notSince) return false
      if (known.manifest_asked_at !== null && known.manifest_asked_at > notSince) return false
      const claimed = await writer
        .updateTable('platforms')
        .set({ manifest_asked_at: at })
        .where('platform_id', '=', platformId)
        .where('manifest_fetched_at', '<=', notSince)
        .where((eb) =>
          eb.or([eb('manifest_asked_at', 'is', null), eb('manifest_asked_at', '<=', notSince)]),
        )
        .executeTakeFirst()
      return claimed.numUpdatedRows > 0n
    },

    async storeManifest(fetched, describe) {
      const { platform_id, manifest, at } = fetched
      const recovered_at = nowText(clock)
      const before = await readKept(reader, platform_id)
      if (!before) return null
      // As a rule nothing has changed, and no write of records must wait for that.
      if (!isOtherwise(before, manifest)) {
        await writer
          .updateTable('platforms')
          .set({ manifest_fetched_at: at, recovered_at })
          .where('platform_id', '=', platform_id)
          .execute()
        return []
      }
      return change(async (db) => {
        await hold(db, 'write gates')
        const known = await readKept(db, platform_id)
        if (!known) return null
        const changes = findManifestChanges(known, manifest)
        await takeOver(db, known, { ...fetched, recovered_at })
        if (changes.length === 0) return changes
        // After the write gates, as where a record is erased.
        await hold(db, 'search index')
        await retypeFields(db, platform_id)
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

    setDriftPolicy: ({ platform_id, record_type, drift_policy, at }, log) =>
      change(async (db) => {
        const changed = await db
          .updateTable('modules')
          .set({ drift_policy })
          .where('platform_id', '=', platform_id)
          .where('record_type', '=', record_type)
          .where('drift_policy', '!=', drift_policy)
          .executeTakeFirst()
        const known = await db
          .selectFrom('modules as m')
          .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
          .select(['m.platform_id', 'p.platform_name'])
          .where('m.platform_id', '=', platform_id)
          .where('m.record_type', '=', record_type)
          .executeTakeFirst()
        if (changed.numUpdatedRows > 0n && known) {
          await insertLog(db, at, log, known)
        }
        return known !== undefined
      }),

    listCompleteness: (query) => listCompleteness(reader, query),
  }
}

type KeptManifest = Described & {
  platform_name: string
  /** Those that it names. */
  modules: StoredModule[]
  rows: Map<string, { row: Selectable<ModulesTable>; kept: StoredModule }>
}
type Described = Pick<Manifest, 'platform_title' | 'platform_description'>

async function readKept(db: Executor, platformId: number): Promise<KeptManifest | null> {
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
  const rows = new Map(found.map((row) => [row.record_type, { row, kept: toKept(row) }]))
  const modules = [...rows.values()].map(({ kept }) => kept).filter((one) => !one.removed_at)
  return { ...platform, modules, rows }
}

/** Whether a manifest says something else, or the same in another order. */
function isOtherwise(known: KeptManifest, manifest: Manifest): boolean {
  const orderOf = (modules: Module[]) =>
    JSON.stringify(modules.map((one) => [one.record_type, one.fields.map((field) => field.key)]))
  return (
    findManifestChanges(known, manifest).length > 0 ||
    orderOf(known.modules) !== orderOf(manifest.modules)
  )
}

async function takeOver(
  db: Executor,
  { rows }: KeptManifest,
  fetched: { platform_id: number; manifest: Manifest; at: string; recovered_at: string },
): Promise<void> {
  const { platform_id, manifest, at, recovered_at } = fetched
  const { platform_title, platform_description, modules } = manifest
  const left = new Map(rows)
  for (const [position, module] of modules.entries()) {
    const { row, kept } = left.get(module.record_type) ?? { row: null, kept: null }
    const next = mergeModule(kept, module, at)
    if (next && row) await updateModule(db, row, next, { position, at })
    else {
      const offered = { position, registered_at: null, added_at: at }
      await insertModule(db, platform_id, { ...module, ...offered })
    }
    left.delete(module.record_type)
  }
  // Those that it does not name any more come last.
  for (const [index, { row, kept }] of [...left.values()].entries()) {
    const next = mergeModule(kept, null, at)
    if (next) await updateModule(db, row, next, { position: modules.length + index, at })
  }
  // After the modules: in the order in which the end of a pull task locks them.
  await db
    .updateTable('platforms')
    .set({
      display_title: platform_title,
      platform_description,
      manifest_fetched_at: at,
      recovered_at,
    })
    .where('platform_id', '=', platform_id)
    .execute()
}

function toKept(row: Selectable<ModulesTable>): StoredModule {
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
  row: Selectable<ModulesTable>,
  next: StoredModule,
  { position, at }: { position: number; at: string },
): Promise<void> {
  const { module_id } = row
  const { module_name, description, removed_at } = next
  const words = {
    module_name,
    description,
    removed_at,
    fields: JSON.stringify(next.fields),
    removed_fields: JSON.stringify(next.removed_fields),
  }
  const isSame =
    row.position === position &&
    row.module_name === words.module_name &&
    row.description === words.description &&
    row.removed_at === words.removed_at &&
    row.fields === words.fields &&
    row.removed_fields === words.removed_fields
  if (isSame) return
  const isReworded = row.fields !== words.fields
  await db
    .updateTable('modules')
    .set({ ...words, position, ...(isReworded ? { drift_since: at } : {}) })
    .where('module_id', '=', module_id)
    .execute()
  if (!isReworded) return
  await db.deleteFrom('module_drift').where('module_id', '=', module_id).execute()
  await dropKeptAnswer(db, module_id)
}
