import { parsePath } from '@recordhub/protocol/data-path'
import { isSortedAsNumber } from '../../../domain/record/sort-key.ts'
import type { ChangeLog } from '../../port/platform-store.ts'
import type { IndexedFieldState } from '../../port/search-index-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { findKinds } from '../records/module-scope.ts'
import type { Executor } from '../schema/databases.ts'
import { listRows, updateRows } from '../schema/rows.ts'
import { hasIndexedFields, readFeedPosition, saveFeedPosition } from './field-index.ts'

type Choice = { platform_id: number; record_type: string; keys: string[]; at: string }

type ReadCommitWatermark = (db: Executor) => Promise<number>

type ModuleFields = { platform_id: number; module_id: number; fields: string }

export async function listIndexedFields(
  db: Executor,
  platformId: number,
  recordType: string,
): Promise<IndexedFieldState[] | null> {
  const module = await findModule(db, platformId, recordType)
  return module ? readStates(db, module.module_id) : null
}

export async function setIndexedFields(
  db: Executor,
  readCommitWatermark: ReadCommitWatermark,
  { platform_id, record_type, keys, at }: Choice,
  log: ChangeLog,
): Promise<IndexedFieldState[] | null> {
  const module = await findModule(db, platform_id, record_type)
  if (!module) return null
  const { module_id } = module
  // Without fields, nobody follows the changes. The first field is built from all records up to now.
  if (!(await hasIndexedFields(db))) {
    await saveFeedPosition(db, 'fields', await readCommitWatermark(db))
  }
  if (await replaceFields(db, { ...module, platform_id }, keys)) {
    const platform = { platform_id, platform_name: module.platform_name }
    await insertLog(db, at, log, platform)
  }
  return readStates(db, module_id)
}

/** Rebuilds the indexes of a platform's fields whose type has changed in the manifest. */
export async function rebuildRetypedFields(db: Executor, platformId: number): Promise<void> {
  const indexed = await db
    .selectFrom('indexed_fields as f')
    .innerJoin('modules as m', 'm.module_id', 'f.module_id')
    .select(['m.platform_id', 'm.module_id', 'm.fields', 'f.field_key'])
    .where((eb) => eb.and({ 'f.platform_id': platformId, 'f.is_deleting': 0 }))
    .orderBy('f.field_id')
    .execute()
  for (const moduleFields of Map.groupBy(indexed, (field) => field.module_id).values()) {
    const [module] = moduleFields
    const keys = moduleFields.map((field) => field.field_key)
    if (module) await replaceFields(db, module, keys)
  }
}

/** @returns whether an index was added or removed. */
async function replaceFields(
  db: Executor,
  { platform_id, module_id, fields }: ModuleFields,
  keys: string[],
): Promise<boolean> {
  const kinds = findKinds([fields], keys.map(parsePath))
  const kindOf = new Map(keys.map((key, index) => [key, kinds[index]]))
  const isNumeric = (key: string) => (isSortedAsNumber(kindOf.get(key)) ? 1 : 0)
  const match = { module_id, is_deleting: 0 }
  const columns = ['field_id', 'field_key', 'is_numeric'] as const
  const stored = await listRows(db, 'indexed_fields', match, columns)
  // The index of a field whose type has changed has the wrong order.
  const unchanged = stored.filter(
    (field) => keys.includes(field.field_key) && field.is_numeric === isNumeric(field.field_key),
  )
  const removed = stored.filter((field) => !unchanged.includes(field))
  const added = keys.filter((key) => !unchanged.some((field) => field.field_key === key))
  if (removed.length > 0) {
    const ids = removed.map((field) => field.field_id)
    await updateRows(db, 'indexed_fields', { field_id: ids }, { is_deleting: 1 })
  }
  if (added.length > 0) {
    const backfill_end_seq = await readFeedPosition(db, 'fields')
    const rows = added.map((field_key) => ({
      platform_id,
      module_id,
      field_key,
      is_numeric: isNumeric(field_key),
      backfilled_seq: 0,
      backfill_end_seq,
      is_deleting: 0,
    }))
    await db.insertInto('indexed_fields').values(rows).execute()
  }
  return removed.length + added.length > 0
}

function findModule(db: Executor, platformId: number, recordType: string) {
  return db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.module_id', 'm.fields', 'p.platform_name'])
    .where((eb) => eb.and({ 'm.platform_id': platformId, 'm.record_type': recordType }))
    .where('p.removed_at', 'is', null)
    .executeTakeFirst()
}

async function readStates(db: Executor, moduleId: number): Promise<IndexedFieldState[]> {
  const rows = await db
    .selectFrom('indexed_fields')
    .select(['field_key', 'backfilled_seq', 'backfill_end_seq'])
    .where((eb) => eb.and({ module_id: moduleId, is_deleting: 0 }))
    .orderBy('field_id')
    .execute()
  return rows.map((row) => ({
    key: row.field_key,
    is_built: row.backfilled_seq >= row.backfill_end_seq,
  }))
}
