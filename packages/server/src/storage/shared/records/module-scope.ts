/** The scope of a list: the modules that its filter selects, and the kinds of their fields. */
import type { Field } from '@recordhub/protocol'
import type { DataPath } from '@recordhub/protocol/data-path'
import { type DataKind, fieldKeysOf, kindOfPath } from '@recordhub/protocol/field-filter'
import { sql } from 'kysely'
import {
  type DataColumn,
  isDataColumn,
  pathOfColumn,
  type RecordFilter,
} from '../../../domain/record/record-query.ts'
import type { ListScope, NamedScope, ScopeQuery } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'

/** Reads the modules and the fields that the list needs, and none if it needs none. */
export async function readScope(db: Executor, query: ScopeQuery): Promise<ListScope> {
  const { sort } = query
  const columns = dataColumnsOf(query)
  // First, so that a removal while the rest is read is noticed.
  const last_removal = await findLastRemoval(db)
  const everywhere = isEverywhere(query)
  const all = everywhere && !(await isAnyHidden(db))
  const rest = { everywhere, all, reviewed: await readReviewed(db, query), last_removal }
  if (all && columns.length === 0 && sort !== 'reference_number' && sort !== 'full_name') {
    return { ...rest, modules: [], kinds: new Map() }
  }
  const modules = await selectModuleRefs(db, query)
    .select(columns.length > 0 ? 'm.fields' : sql.lit('[]').as('fields'))
    .execute()
  const texts = modules.map(({ fields }) => fields)
  const paths = columns.map(pathOfColumn)
  const kinds = findKinds(texts, paths)
  return {
    ...rest,
    modules: modules.map(({ platform_id, module_id }) => ({ platform_id, module_id })),
    kinds: new Map(columns.map((column, index) => [column, kinds[index] ?? 'text'])),
  }
}

/** As {@link readScope}, with all modules and their fields. */
export async function readNamedScope(db: Executor, query: ScopeQuery): Promise<NamedScope> {
  const scope = await readScope(db, query)
  const modules = await selectModuleRefs(db, query)
    .select(['m.fields', 'm.record_type', 'p.platform_name'])
    .clearOrderBy()
    .orderBy('p.display_title')
    .orderBy('p.platform_id')
    .orderBy('m.position')
    .execute()
  return {
    ...scope,
    modules: modules.map((one) => ({ ...one, fields: parseFields(one.fields) })),
  }
}

/** Whether the platforms and records of a scope have not been removed since it was read, and its review is the same. */
export async function isScopeCurrent(
  db: Executor,
  query: Pick<RecordFilter, 'missing_review'>,
  { everywhere, modules, reviewed, last_removal }: ListScope,
): Promise<boolean> {
  if ((await readReviewed(db, query)) !== reviewed) return false
  const removals = await db
    .selectFrom('removals')
    .select(['platform_id', 'module_id'])
    .where('removal_id', '>', last_removal)
    .execute()
  if (everywhere) return removals.length === 0
  return !removals.some((removed) =>
    modules.some(
      ({ platform_id, module_id }) =>
        platform_id === removed.platform_id &&
        (removed.module_id === null || removed.module_id === module_id),
    ),
  )
}

async function findLastRemoval(db: Executor): Promise<number> {
  const last = await db
    .selectFrom('removals')
    .select((eb) => eb.fn.max('removal_id').as('removal_id'))
    .executeTakeFirst()
  return last?.removal_id ?? 0
}

async function readReviewed(
  db: Executor,
  { missing_review }: Pick<RecordFilter, 'missing_review'>,
): Promise<string | null> {
  if (missing_review === null) return null
  const review = await db
    .selectFrom('missing_reviews')
    .select('fingerprint')
    .where('missing_review_id', '=', missing_review)
    .executeTakeFirst()
  return review?.fingerprint ?? null
}

/** What the values at each path are compared as in a list of modules with these fields, as JSON. */
export function findKinds(fieldTexts: readonly string[], paths: readonly DataPath[]): DataKind[] {
  if (paths.length === 0) return []
  const found = new Map<string, Field[]>(paths.flatMap(fieldKeysOf).map((key) => [key, []]))
  for (const text of fieldTexts) {
    for (const field of parseFields(text)) found.get(field.key)?.push(field)
  }
  return paths.map((path) =>
    kindOfPath(
      path,
      fieldKeysOf(path).flatMap((key) => found.get(key) ?? []),
    ),
  )
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

/**
 * Whether readers see the module of a row. From the commit of a removal on, the records of its platform or module are in
 * no list, count, search, export, history or feed, although they are deleted step by step.
 * @param alias of a table with `platform_id` and `module_id`.
 */
export function isVisible(alias: string) {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM removals d
    WHERE d.finished_at IS NULL AND d.platform_id = ${sql.ref(`${alias}.platform_id`)}
      AND (d.module_id IS NULL OR d.module_id = ${sql.ref(`${alias}.module_id`)}))`
}

/** Whether any module is not visible. */
async function isAnyHidden(db: Executor): Promise<boolean> {
  const removal = await db
    .selectFrom('removals')
    .select('removal_id')
    .where('finished_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return removal !== undefined
}
