/** The scope of a list: the modules that its filter selects, and the types of their fields. */
import { sql } from 'kysely'
import {
  type DataColumn,
  isDataColumn,
  keyOfColumn,
  type RecordFilter,
  type RecordOrder,
} from '../../../domain/record/record-query.ts'
import { isNumericType } from '../../../domain/record/sort-key.ts'
import type { Executor } from '../schema/databases.ts'
import { isAnyHidden, isVisible } from './visible-modules.ts'

export type ModuleRef = { platform_id: number; module_id: number }

export type ModuleScope = {
  /** Whether the scope is all modules, of which none is hidden. `modules` may be empty then. */
  all: boolean
  modules: ModuleRef[]
  isNumeric: (column: DataColumn) => boolean
}

/** Reads the modules and the types of fields that the list needs, and none if it needs none. */
export async function findModuleScope(
  db: Executor,
  query: Pick<RecordFilter, 'platform' | 'record_type' | 'conditions'> & Pick<RecordOrder, 'sort'>,
): Promise<ModuleScope> {
  const { platform, record_type, sort } = query
  const isUnfiltered = platform === null && record_type === null
  const isEverywhere = isUnfiltered && !(await isAnyHidden(db))
  const columns = [sort, ...query.conditions.map(({ column }) => column)]
  const needsFields = columns.some(isDataColumn)
  const needsModules = !isEverywhere || sort === 'reference_number' || sort === 'full_name'
  if (!needsFields && !needsModules) return { all: true, modules: [], isNumeric: () => false }
  const modules = await selectModuleRefs(db, query)
    .select(needsFields ? 'm.fields' : sql.lit('[]').as('fields'))
    .execute()
  const fieldTexts = modules.map(({ fields }) => fields)
  return {
    all: isEverywhere,
    modules,
    isNumeric: (column) => isNumericIn(fieldTexts, keyOfColumn(column)),
  }
}

/** Selects the visible modules of a platform and a type; null for all. */
export function selectModuleRefs(
  db: Executor,
  { platform, record_type }: Pick<RecordFilter, 'platform' | 'record_type'>,
) {
  return db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id'])
    .where(isVisible('m'))
    .$if(platform !== null, (select) => select.where('p.platform_name', '=', platform ?? ''))
    .$if(record_type !== null, (select) => select.where('m.record_type', '=', record_type ?? ''))
    .orderBy('m.module_id')
}

/** Whether at least one manifest names the field, and every manifest that names it declares it as a number. */
export function isNumericIn(fieldTexts: string[], key: string): boolean {
  const types = fieldTexts.flatMap((text) => {
    const fields: { key: string; type: string }[] = JSON.parse(text)
    return fields.filter((field) => field.key === key).map((field) => field.type)
  })
  return types.length > 0 && types.every(isNumericType)
}
