/** The definitions of the views for reading records with SQL. Only PostgreSQL stores views (`postgres/sql-views.ts`). */
import { HUB_MEMBERS } from '../../../domain/record/record-columns.ts'
import { dedupeNames } from '../../../lib/text/dedupe-names.ts'
import type { SqlViews } from '../../port/platform-store.ts'
import type { Executor } from '../schema/databases.ts'

/** What differs between engines in a view. */
export type ViewDialect = {
  /** The FROM item with the records `r`, and whatever `keyValue` needs. */
  source: string
  /** Returns the value of a key in `data` of the records `r`, as `->>` does. */
  keyValue: (key: string) => string
}

/** The limit of PostgreSQL. SQLite has none. */
const MAX_NAME_BYTES = 63
/** SQLite allows 2,000 columns in a result, PostgreSQL 1,664. */
const MAX_FIELDS = 1500
/** Modules whose fields are in memory at a time. */
const BATCH = 50

type NamedView = { view_name: string; platform_id: number; module_id: number }
type ViewedModule = {
  platform_id: number
  module_id: number
  platform_name: string
  record_type: string
  module_name: string
  fields: string
}

/** Implements `SqlViews.defineViews`. */
export function createViewDefinitions(
  reader: Executor,
  dialect: ViewDialect,
): SqlViews['defineViews'] {
  return async function* defineViews(platformId) {
    const named = await nameViews(reader)
    const chosen = named.filter(
      ({ platform_id }) => platformId === null || platform_id === platformId,
    )
    for (let start = 0; start < chosen.length; start += BATCH) {
      const batch = chosen.slice(start, start + BATCH)
      const ids = batch.map(({ module_id }) => module_id)
      const selects = await readSelects(reader, ids, dialect)
      for (const { view_name, module_id } of batch) {
        const select = selects.get(module_id)
        if (select === undefined) continue
        yield { view_name, statement: `CREATE TEMP VIEW ${quoteName(view_name)} AS ${select}` }
      }
    }
  }
}

/** Names the views of all registered modules: `v_<platform>_<record_type>`, in letters, digits and `_`. */
export async function nameViews(db: Executor): Promise<NamedView[]> {
  const modules = await db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id', 'p.platform_name', 'm.record_type'])
    .where('m.registered_at', 'is not', null)
    .orderBy('m.module_id')
    .execute()
  const preferred = modules.map(({ platform_name, record_type }) =>
    `v_${platform_name}_${record_type}`.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, '_'),
  )
  const names = dedupeNames(preferred, MAX_NAME_BYTES)
  return modules.map(({ platform_id, module_id }, index) => {
    return { view_name: names[index] ?? '', platform_id, module_id }
  })
}

/** Returns the queries of the views of these modules, without modules that were deleted meanwhile. */
export async function readSelects(
  db: Executor,
  moduleIds: number[],
  dialect: ViewDialect,
): Promise<Map<number, string>> {
  if (moduleIds.length === 0) return new Map()
  const modules = await db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id', 'p.platform_name', 'm.record_type', 'm.module_name'])
    .select('m.fields')
    .where('m.module_id', 'in', moduleIds)
    .execute()
  return new Map(modules.map((module) => [module.module_id, selectOf(module, dialect)]))
}

export function selectOf(module: ViewedModule, { source, keyValue }: ViewDialect): string {
  const fields: { key: string }[] = JSON.parse(module.fields)
  const keys = fields.slice(0, MAX_FIELDS).map(({ key }) => key)
  const hubColumns = HUB_MEMBERS.map((member) => {
    const isConstant =
      member === 'platform_name' || member === 'module_name' || member === 'record_type'
    return {
      name: `hub_${member}`,
      value: isConstant ? textLiteral(module[member]) : `r.${member}`,
    }
  })
  const columns = [
    ...hubColumns,
    { name: 'hub_data', value: 'r.data' },
    ...keys.map((key) => ({ name: key, value: keyValue(key) })),
  ]
  const names = dedupeNames(
    columns.map((column) => column.name),
    MAX_NAME_BYTES,
  )
  const list = columns.map(({ value }, index) => `${value} AS ${quoteName(names[index] ?? '')}`)
  return `SELECT ${list.join(', ')} FROM ${source}
    WHERE r.platform_id = ${module.platform_id} AND r.module_id = ${module.module_id}`
}

/** Quotes a name, for every engine. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
