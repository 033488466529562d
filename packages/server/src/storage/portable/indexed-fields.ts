import type { ChangeLog } from '../port/platform-store.ts'
import type { IndexedFieldState } from '../port/search-index-store.ts'
import { insertActivity, insertAudit } from './activity-rows.ts'
import type { Executor } from './databases.ts'
import { isNumericIn } from './record-places.ts'

type Choice = {
  platform_id: number
  record_type: string
  keys: string[]
  at: string
  /** How far the index of texts follows the changes. */
  position: number
}

export async function listFields(
  db: Executor,
  platformId: number,
  recordType: string,
): Promise<IndexedFieldState[] | null> {
  const module = await findModule(db, platformId, recordType)
  return module ? listOf(db, module.module_id) : null
}

export async function setFields(
  db: Executor,
  { platform_id, record_type, keys, at, position }: Choice,
  log: ChangeLog,
): Promise<IndexedFieldState[] | null> {
  const module = await findModule(db, platform_id, record_type)
  if (!module) return null
  const { module_id } = module
  const isNumeric = (key: string) => (isNumericIn([module.fields], key) ? 1 : 0)
  const stored = await db
    .selectFrom('indexed_fields')
    .select(['field_id', 'field_key', 'is_numeric'])
    .where('module_id', '=', module_id)
    .where('is_leaving', '=', 0)
    .execute()
  // A field whose type has changed is sorted another way.
  const stays = stored.filter(
    (field) => keys.includes(field.field_key) && field.is_numeric === isNumeric(field.field_key),
  )
  const leaving = stored.filter((field) => !stays.includes(field))
  const added = keys.filter((key) => !stays.some((field) => field.field_key === key))
  if (leaving.length > 0) {
    const ids = leaving.map((field) => field.field_id)
    await db
      .updateTable('indexed_fields')
      .set({ is_leaving: 1 })
      .where('field_id', 'in', ids)
      .execute()
  }
  if (added.length > 0) {
    const rows = added.map((field_key) => ({
      platform_id,
      module_id,
      field_key,
      is_numeric: isNumeric(field_key),
      built_seq: 0,
      build_to: position,
      is_leaving: 0,
    }))
    await db.insertInto('indexed_fields').values(rows).execute()
  }
  if (leaving.length + added.length > 0) {
    const platform = { platform_id, platform_name: module.platform_name }
    await insertActivity(db, at, { ...log.activity, platform })
    await insertAudit(db, at, log.audit)
  }
  return listOf(db, module_id)
}

function findModule(db: Executor, platformId: number, recordType: string) {
  return db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.module_id', 'm.fields', 'p.platform_name'])
    .where('m.platform_id', '=', platformId)
    .where('m.record_type', '=', recordType)
    .where('p.removed_at', 'is', null)
    .executeTakeFirst()
}

async function listOf(db: Executor, moduleId: number): Promise<IndexedFieldState[]> {
  const rows = await db
    .selectFrom('indexed_fields')
    .select(['field_key', 'built_seq', 'build_to'])
    .where('module_id', '=', moduleId)
    .where('is_leaving', '=', 0)
    .orderBy('field_id')
    .execute()
  return rows.map((row) => ({ key: row.field_key, is_built: row.built_seq >= row.build_to }))
}
