/** Where a list looks: the modules that its filter names, and what their manifests say of fields. */
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

export type Place = { platform_id: number; module_id: number }

export type Places = {
  /** Whether every module there is belongs to it; `places` may be empty then. */
  all: boolean
  places: Place[]
  isNumeric: (column: DataColumn) => boolean
}

/** The modules that a list is of, as far as the list needs to know them. */
export async function findPlaces(
  db: Executor,
  query: Pick<RecordFilter, 'platform' | 'record_type' | 'conditions'> & Pick<RecordOrder, 'sort'>,
): Promise<Places> {
  const { platform, record_type, sort } = query
  const isEverywhere = platform === null && record_type === null
  const columns = [sort, ...query.conditions.map(({ column }) => column)]
  const needsFields = columns.some(isDataColumn)
  const needsModules = !isEverywhere || sort === 'reference_number' || sort === 'full_name'
  if (!needsFields && !needsModules) return { all: true, places: [], isNumeric: () => false }
  const modules = await selectPlaces(db, query)
    .select(needsFields ? 'm.fields' : sql.lit('[]').as('fields'))
    .execute()
  const fieldTexts = modules.map(({ fields }) => fields)
  return {
    all: isEverywhere,
    places: modules,
    isNumeric: (column) => isNumericIn(fieldTexts, keyOfColumn(column)),
  }
}

/** The modules of a platform and of a type; null stands for all. Of removed platforms only where all is asked for. */
export function selectPlaces(
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

/** Whether every manifest that names a field calls it a number, and one does. */
export function isNumericIn(fieldTexts: string[], key: string): boolean {
  const types = fieldTexts.flatMap((text) => {
    const fields: { key: string; type: string }[] = JSON.parse(text)
    return fields.filter((field) => field.key === key).map((field) => field.type)
  })
  return types.length > 0 && types.every(isNumericType)
}
