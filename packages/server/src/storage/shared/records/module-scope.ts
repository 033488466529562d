/** The scope of a list: the modules that its filter selects, and the kinds of their fields. */
import type { Field } from '@recordhub/protocol'
import { commonKindOf, type FieldKind } from '@recordhub/protocol/field-filter'
import { sql } from 'kysely'
import {
  type DataColumn,
  isDataColumn,
  keyOfColumn,
  type RecordFilter,
} from '../../../domain/record/record-query.ts'
import type { ListScope, NamedScope, ScopeQuery } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'

/** Reads the modules and the fields that the list needs, and none if it needs none. */
export async function readScope(db: Executor, query: ScopeQuery): Promise<ListScope> {
  const { sort } = query
  const all = isEverywhere(query)
  const columns = dataColumnsOf(query)
  if (all && columns.length === 0 && sort !== 'reference_number' && sort !== 'full_name') {
    return { all, modules: [], kinds: new Map() }
  }
  const modules = await selectModuleRefs(db, query)
    .select(columns.length > 0 ? 'm.fields' : sql.lit('[]').as('fields'))
    .execute()
  const texts = modules.map(({ fields }) => fields)
  return {
    all,
    modules: modules.map(({ platform_id, module_id }) => ({ platform_id, module_id })),
    kinds: new Map(columns.map((column) => [column, findKind(texts, keyOfColumn(column))])),
  }
}

/** As {@link readScope}, with all modules and their fields. */
export async function readNamedScope(db: Executor, query: ScopeQuery): Promise<NamedScope> {
  const { all, kinds } = await readScope(db, query)
  const modules = await selectModuleRefs(db, query)
    .select(['m.fields', 'm.record_type', 'p.platform_name'])
    .clearOrderBy()
    .orderBy('p.display_title')
    .orderBy('p.platform_id')
    .orderBy('m.position')
    .execute()
  return {
    all,
    modules: modules.map((one) => ({ ...one, fields: parseFields(one.fields) })),
    kinds,
  }
}

/** What a field is compared as in a list of modules with these fields, as JSON. */
export function findKind(fieldTexts: readonly string[], key: string): FieldKind {
  return commonKindOf(fieldTexts.flatMap(parseFields).filter((field) => field.key === key))
}

function parseFields(text: string): Field[] {
  return JSON.parse(text)
}

function dataColumnsOf({ sort, conditions }: ScopeQuery): DataColumn[] {
  return [sort, ...conditions.map(({ column }) => column)].filter(isDataColumn)
}

function isEverywhere({ platform, record_type }: ScopeQuery): boolean {
  return platform === null && record_type === null
}

/** Selects the modules of a platform and a type; null for all. Includes removed platforms only if both are null. */
export function selectModuleRefs(
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
