/** The modules that a list covers, and the types of their fields. */
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

export type ModuleRef = { platform_id: number; module_id: number }

export type ModuleScope = {
  /** Whether the list covers every module; `places` may then be empty. */
  all: boolean
  places: ModuleRef[]
  isNumeric: (column: DataColumn) => boolean
}

/** Finds the modules that a list covers, if the list needs to know them. */
export async function findModuleScope(
  db: Executor,
  query: Pick<RecordFilter, 'platform' | 'record_type' | 'conditions'> & Pick<RecordOrder, 'sort'>,
): Promise<ModuleScope> {
  const { platform, record_type, sort } = query
  const isEverywhere = platform === null && record_type === null
  const columns = [sort, ...query.conditions.map(({ column }) => column)]
  const needsFields = columns.some(isDataColumn)
  const needsModules = !isEverywhere || sort === 'reference_number' || sort === 'full_name'
  if (!needsFields && !needsModules) return { all: true, places: [], isNumeric: () => false }
  const modules = await selectModules(db, query)
    .select(needsFields ? 'm.fields' : sql.lit('[]').as('fields'))
    .execute()
  const fieldTexts = modules.map(({ fields }) => fields)
  return {
    all: isEverywhere,
    places: modules,
    isNumeric: (column) => isNumericIn(fieldTexts, keyOfColumn(column)),
  }
}

/** Selects the modules of a platform and of a type; null selects all, and only then modules of removed platforms too. */
export function selectModules(
  db: Executor,
  { platform, record_type }: Pick<RecordFilter, 'platform' | 'record_type'>,
) {
  return db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id'])
    .$if(platform !== null || record_type !== null, (select) =>
      select.where('p.removed_at', 'is', null),
    )
    .$if(platform !== null, (select) => select.where('p.platform_name', '=', platform ?? ''))
    .$if(record_type !== null, (select) => select.where('m.record_type', '=', record_type ?? ''))
    .orderBy('m.module_id')
}

/** Whether at least one manifest names a field and every one that does declares it as a number. */
export function isNumericIn(fieldTexts: string[], key: string): boolean {
  const types = fieldTexts.flatMap((text) => {
    const fields: { key: string; type: string }[] = JSON.parse(text)
    return fields.filter((field) => field.key === key).map((field) => field.type)
  })
  return types.length > 0 && types.every(isNumericType)
}
