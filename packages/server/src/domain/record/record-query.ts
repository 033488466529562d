/** Parses the query of a record list. The page, the API and saved views use the same URL parameters. */
import { BY_RELEVANCE, RECORD_SORTS, type RecordSort } from '@recordhub/protocol'
import { type DataPath, parsePath } from '@recordhub/protocol/data-path'
import {
  type DataKind,
  FILTER_TESTS,
  type FilterKind,
  type FilterTest,
  findFilterProblem,
  parseTimeSpan,
} from '@recordhub/protocol/field-filter'
import type { FieldErrors } from '../../errors.ts'
import { MAX_SEARCH_LENGTH, parseSearch, type SearchTerms } from '../search/search-text.ts'

/** Columns that the hub provides in addition to the fields in `data`. */
const HUB_COLUMNS = [
  'hub_reference_number',
  'hub_full_name',
  'hub_created_at',
  'hub_updated_at',
  'hub_missing_since',
] as const
export type HubColumn = (typeof HUB_COLUMNS)[number]
export type DataColumn = `data.${string}`

/** `empty` has the value `true` or `false`. */
export type Condition = { column: HubColumn | DataColumn } & (
  | { test: Exclude<FilterTest, 'in'>; value: string }
  | { test: 'in'; values: string[] }
)

/** The values that a condition compares with. */
export function valuesOfCondition(condition: Condition): readonly string[] {
  return condition.test === 'in' ? condition.values : [condition.value]
}

/** Selects records; every member that is not null must match. */
export type RecordFilter = {
  platform: string | null
  record_type: string | null
  reference_number: string | null
  search: SearchTerms | null
  incomplete: boolean | null
  missing: boolean | null
  /** The id of a missing review; selects its records. */
  missing_review: number | null
  /** In the format of `updated_at`. */
  changed_since: string | null
  /** Several may have the same column and test. */
  conditions: Condition[]
}

export type RecordOrder = {
  /** The order by relevance is that of the search of the filter, the best first. */
  sort: RecordSort | typeof BY_RELEVANCE | DataColumn
  descending: boolean
}

export const NO_FILTER: RecordFilter = {
  platform: null,
  record_type: null,
  reference_number: null,
  search: null,
  incomplete: null,
  missing: null,
  missing_review: null,
  changed_since: null,
  conditions: [],
}

/** Whether a filter has more than a platform and a module. */
export function isFiltered(filter: RecordFilter): boolean {
  const { reference_number, search, incomplete, missing, missing_review, changed_since } = filter
  const single = [reference_number, search, incomplete, missing, missing_review, changed_since]
  return filter.conditions.length > 0 || single.some((one) => one !== null)
}

/** What the values of fields are compared as in a list, which depends on its modules. Others are compared as text. */
export type FieldKinds = ReadonlyMap<DataColumn, DataKind>

export type ParsedQuery =
  | {
      ok: true
      query: RecordFilter & RecordOrder
      /** Returns a message for each condition whose value does not have the kind of its column. */
      checkValues: (kinds: FieldKinds) => FieldErrors
    }
  | { ok: false; errors: FieldErrors }

const MAX_CONDITIONS = 20
/** Of one condition. */
const MAX_VALUES = 100
const MAX_NAME_LENGTH = 256
const MAX_VALUE_LENGTH = 1024
const DEFAULT_ORDER: RecordOrder = { sort: 'updated_at', descending: true }

/**
 * Parses the parameters of a query; `errors` has a message for each invalid parameter. A filter may be repeated: both
 * conditions must be met.
 */
export function parseRecordQuery(parameters: Iterable<[name: string, value: string]>): ParsedQuery {
  const query: RecordFilter & RecordOrder = {
    ...NO_FILTER,
    conditions: [],
    ...DEFAULT_ORDER,
  }
  const errors = new Map<string, string[]>()
  const names = new Map<Condition, string>()
  const seen = new Set<string>()
  for (const [name, value] of parameters) {
    const isRepeated = seen.has(name) && !FILTER.test(name)
    const count = query.conditions.length
    const error = isRepeated ? 'is repeated' : parseParameter(query, name, value)
    seen.add(name)
    for (const added of query.conditions.slice(count)) names.set(added, name)
    if (error !== null) errors.set(name, [error])
  }
  if (query.sort === BY_RELEVANCE && query.search === null) {
    errors.set('sort', [`is by ${BY_RELEVANCE}, which needs the words of a search (q)`])
  }
  if (errors.size > 0) return { ok: false, errors: Object.fromEntries(errors) }
  return { ok: true, query, checkValues: (kinds) => checkValues(names, kinds) }
}

function checkValues(names: ReadonlyMap<Condition, string>, kinds: FieldKinds): FieldErrors {
  const problems = [...names].flatMap(([condition, name]): [string, string[]][] => {
    const kind = kindOfColumn(condition.column, kinds)
    const problem = valuesOfCondition(condition)
      .map((value) => findFilterProblem(kind, condition.test, value))
      .find((one) => one !== null)
    return problem === undefined ? [] : [[name, [problem]]]
  })
  return Object.fromEntries(problems)
}

const HUB_TIMES: ReadonlySet<string> = new Set<HubColumn>([
  'hub_created_at',
  'hub_updated_at',
  'hub_missing_since',
])

export function kindOfColumn(column: HubColumn | DataColumn, kinds: FieldKinds): FilterKind {
  if (isDataColumn(column)) return kinds.get(column) ?? 'text'
  return HUB_TIMES.has(column) ? 'instant' : 'text'
}

/**
 * Adds a parameter to the query.
 * @returns an error message; null if the parameter is valid.
 */
function parseParameter(
  query: RecordFilter & RecordOrder,
  name: string,
  value: string,
): string | null {
  switch (name) {
    case 'platform':
    case 'record_type':
    case 'reference_number':
      query[name] = value
      return value.includes('\u0000') ? 'must not contain U+0000' : null
    case 'incomplete':
    case 'missing':
      query[name] = value === 'true'
      return value === 'true' || value === 'false' ? null : MUST_BE_BOOLEAN
    case 'missing_review':
      query.missing_review = POSITIVE_INTEGER.test(value) ? Number(value) : null
      return query.missing_review === null ? 'must be the id of a missing review' : null
    case 'q':
      return parseSearchParameter(query, value)
    case 'changed_since':
      query.changed_since = toTimestamp(value)
      return query.changed_since === null ? findFilterProblem('instant', 'is', '') : null
    case 'sort': {
      const order = parseSort(value)
      if (order) Object.assign(query, order)
      return order
        ? null
        : `must be one of ${RECORD_SORTS.join(', ')} or data.<path>, with a leading - for descending order, or ${BY_RELEVANCE}`
    }
    default:
      return parseCondition(query, name, value)
  }
}

/** Returns a time in the format of `updated_at`; null for other text. */
function toTimestamp(text: string): string | null {
  const span = parseTimeSpan(text)
  if (!span?.hasZone) return null
  const time = new Date(Number(span.from / 1_000_000n)).toISOString()
  // A zone can move a time out of the years that have four digits.
  return time.length === 24 ? time : null
}

function parseSearchParameter(query: RecordFilter, text: string): string | null {
  if (text.length > MAX_SEARCH_LENGTH) return `must be at most ${MAX_SEARCH_LENGTH} characters long`
  const terms = parseSearch(text)
  if (terms.length > 0) query.search = terms
  return null
}

const FILTER = /^filter\[(.+?)\](?:\[(\w+)\])?$/s

function parseCondition(query: RecordFilter, name: string, value: string): string | null {
  const [, key, testName = 'is'] = FILTER.exec(name) ?? []
  if (key === undefined) return 'is not a parameter of this list'
  const test = FILTER_TESTS.find((one) => one === testName)
  if (!test) return `uses the test ${testName}; it must be one of ${FILTER_TESTS.join(', ')}`
  if (key.length > MAX_NAME_LENGTH)
    return `has a field name of more than ${MAX_NAME_LENGTH} characters`
  if (value.length > MAX_VALUE_LENGTH) return `must be at most ${MAX_VALUE_LENGTH} characters long`
  // The prefix `data.` selects a field that has the name of a hub column.
  const field: DataColumn = isDataColumn(key) ? key : `data.${key}`
  const column = HUB_COLUMNS.find((one) => one === key) ?? field
  if (test === 'in') {
    const stored = query.conditions.find((one) => one.column === column && one.test === 'in')
    if (stored?.test === 'in') {
      if (stored.values.length === MAX_VALUES) return `exceeds the maximum of ${MAX_VALUES} values`
      stored.values.push(value)
      return null
    }
  }
  if (query.conditions.length === MAX_CONDITIONS)
    return `exceeds the maximum of ${MAX_CONDITIONS} filters`
  query.conditions.push(test === 'in' ? { column, test, values: [value] } : { column, test, value })
  return null
}

/** Whether a name refers to a field in `data`, and not to a hub column. */
export function isDataColumn(name: string): name is DataColumn {
  return name.startsWith('data.') && name.length > 'data.'.length
}

/** Returns the path of a column in `data`. */
export function pathOfColumn(column: DataColumn): DataPath {
  return parsePath(column.slice('data.'.length))
}

function parseSort(text: string): RecordOrder | null {
  if (text === BY_RELEVANCE) return { sort: BY_RELEVANCE, descending: false }
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const sort = RECORD_SORTS.find((one) => one === name)
  if (sort) return { sort, descending }
  const isField = isDataColumn(name) && name.length <= MAX_NAME_LENGTH
  return isField ? { sort: name, descending } : null
}

const POSITIVE_INTEGER = /^[1-9]\d{0,14}$/
const MUST_BE_BOOLEAN = 'must be true or false'
