/** The filters of the record list, and their URL parameters. */
import type { DataField } from '@recordhub/protocol'
import type { FilterKind, FilterTest } from '@recordhub/protocol/field-filter'
import { formatTime } from '../../lib/format.ts'
import type { UrlChanges, UrlState } from '../../lib/url-state.ts'
import type { Column, ColumnKind } from './columns.ts'
import { type Condition, changeView, conditionsOf, replaceConditions } from './list-query.ts'

export const OPERATIONS = [
  'is',
  'ne',
  'in',
  'contains',
  'starts',
  'after',
  'before',
  'between',
  'empty',
  'filled',
] as const
type Operation = (typeof OPERATIONS)[number]

export type ConditionFilter = {
  kind: 'condition'
  key: string
  operation: Operation
  value: string
  /** The exclusive end of a range. */
  until: string
  /** Those of `in`, of which a record has one; otherwise empty. */
  values: readonly string[]
}
type FlagFilter = { kind: 'flag'; name: 'incomplete' | 'missing'; value: boolean }
/** The records of a review of missing records. A link sets it; it can be removed, but not edited. */
type ReviewFilter = { kind: 'review'; name: 'missing_review'; value: string }
export type EditableFilter =
  | ConditionFilter
  | FlagFilter
  | { kind: 'text'; name: 'changed_since' | 'reference_number'; value: string }
export type Filter = EditableFilter | ReviewFilter

export function filtersOf(state: UrlState): Filter[] {
  const flags = (['incomplete', 'missing'] as const).flatMap((name): Filter[] => {
    const value = state[name]
    return value === undefined ? [] : [{ kind: 'flag', name, value: value === 'true' }]
  })
  const texts = (['reference_number', 'changed_since'] as const).flatMap((name): Filter[] => {
    const value = state[name]
    return value === undefined ? [] : [{ kind: 'text', name, value }]
  })
  const { missing_review: review } = state
  const reviews: Filter[] =
    review === undefined ? [] : [{ kind: 'review', name: 'missing_review', value: review }]
  return [...reviews, ...texts, ...flags, ...joinRanges(conditionsOf(state))]
}

function joinRanges(conditions: readonly Condition[]): ConditionFilter[] {
  return [...Map.groupBy(conditions, ({ key }) => key).values()].flatMap((ofKey) => {
    const befores = ofKey.filter(({ test }) => test === 'before')
    const ranges = ofKey
      .filter(({ test }) => test === 'after')
      .slice(0, befores.length)
      .map((after, index) => ({ after, before: befores[index] }))
    const joined = new Set(ranges.flatMap(({ after, before }) => [after, before]))
    const values = ofKey.flatMap(({ test, value }) => (test === 'in' ? [value] : []))
    return [
      ...(values.length === 0 ? [] : [conditionFilter(ofKey[0]?.key ?? '', 'in', { values })]),
      ...ranges.map(({ after: { key, value }, before }) =>
        conditionFilter(key, 'between', { value, until: before?.value ?? '' }),
      ),
      ...ofKey.filter((one) => !joined.has(one) && one.test !== 'in').map(toFilter),
    ]
  })
}

function toFilter({ key, test, value }: Condition): ConditionFilter {
  if (test !== 'empty') return conditionFilter(key, test, { value })
  return conditionFilter(key, value === 'true' ? 'empty' : 'filled')
}

function conditionFilter(
  key: string,
  operation: Operation,
  texts: Partial<Pick<ConditionFilter, 'value' | 'until' | 'values'>> = {},
): ConditionFilter {
  return { kind: 'condition', key, operation, value: '', until: '', values: [], ...texts }
}

/** The values of which a record has one; null for another condition. */
export function valuesOfFilter({ operation, value, values }: ConditionFilter): string[] | null {
  if (operation === 'is') return [value]
  return operation === 'in' ? [...values] : null
}

/** The filter of a facet after a click on one of its values; null for none. */
export function toggleValue(
  key: string,
  chosen: readonly string[],
  value: string,
): ConditionFilter | null {
  const values = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]
  const [first] = values
  if (first === undefined) return null
  if (values.length > 1) return conditionFilter(key, 'in', { values })
  return conditionFilter(key, 'is', { value: first })
}

/** The number of facets, and of the values that one may have. */
const MAX_FACETS = 2
const MAX_FACET_VALUES = 20

/** The fields that can be counted: those of few values. */
export function countableFields(fields: readonly DataField[]): DataField[] {
  return fields.filter(({ distinct }) => (distinct ?? 0) > 1 && (distinct ?? 0) <= MAX_FACET_VALUES)
}

/** The paths of the fields that are counted: the chosen ones, otherwise the first texts and booleans of the manifest. */
export function facetPathsOf(fields: readonly DataField[], chosen: readonly string[]): string[] {
  const countable = countableFields(fields)
  const found = chosen.filter((path) => countable.some((field) => field.path === path))
  const first = countable
    .filter(
      ({ parent, types }) =>
        parent === null && types.every((type) => type === 'text' || type === 'boolean'),
    )
    .map(({ path }) => path)
  return (found.length > 0 ? found : first).slice(0, MAX_FACETS)
}

/** The counted fields after a click on one of them. A new one replaces the oldest one; the last one stays. */
export function toggleFacet(counted: readonly string[], path: string): string[] {
  if (!counted.includes(path)) return [...counted, path].slice(-MAX_FACETS)
  return counted.length === 1 ? [path] : counted.filter((one) => one !== path)
}

function toConditions({ key, operation, value, until, values }: ConditionFilter): Condition[] {
  switch (operation) {
    case 'in':
      return values.map((one) => ({ key, test: 'in', value: one }))
    case 'empty':
    case 'filled':
      return [{ key, test: 'empty', value: String(operation === 'empty') }]
    case 'between':
      return [
        { key, test: 'after', value },
        { key, test: 'before', value: until },
      ]
    default:
      return [{ key, test: operation, value }]
  }
}

/** The changes of the URL that replace one filter by another; null for none. */
export function replaceFilter(
  state: UrlState,
  before: Filter | null,
  after: Filter | null,
): UrlChanges {
  const conditions = (filter: Filter | null) =>
    filter?.kind === 'condition' ? toConditions(filter) : []
  const others = (filter: Filter | null): UrlChanges =>
    filter === null || filter.kind === 'condition' ? {} : { [filter.name]: String(filter.value) }
  const removed = Object.fromEntries(Object.keys(others(before)).map((name) => [name, null]))
  return {
    ...replaceConditions(state, conditions(before), conditions(after)),
    ...changeView({ ...removed, ...others(after) }),
  }
}

const LABELS: Record<Operation, string> = {
  is: 'is',
  ne: 'is not',
  in: 'is one of',
  contains: 'contains',
  starts: 'starts with',
  after: 'is at or after',
  before: 'is before',
  between: 'is between',
  empty: 'is empty',
  filled: 'is not empty',
}
const NUMBER_LABELS: Partial<typeof LABELS> = { after: 'is at least', before: 'is less than' }

function operationLabel(operation: Operation, kind: ColumnKind): string {
  return (kind === 'number' && NUMBER_LABELS[operation]) || LABELS[operation]
}

const FIRST: Record<ColumnKind, readonly Operation[]> = {
  text: ['contains', 'is', 'ne', 'in', 'starts'],
  number: ['is', 'ne', 'between', 'after', 'before'],
  date: ['between', 'after', 'before'],
  boolean: ['is'],
}

/** The conditions for a kind of column, the most common first. */
export function operationsFor(kind: ColumnKind): { value: Operation; label: string }[] {
  const first = FIRST[kind]
  const all = [...first, ...OPERATIONS.filter((one) => !first.includes(one))]
  return all.map((value) => ({ value, label: operationLabel(value, kind) }))
}

export function firstOperation(kind: ColumnKind): Operation {
  return FIRST[kind][0] ?? 'is'
}

/** The initial value of a new filter for a column. */
export function emptyFilter({ filter, kind }: Column): ConditionFilter {
  return conditionFilter(filter ?? '', firstOperation(kind))
}

export function takesValue(operation: Operation): boolean {
  return operation !== 'empty' && operation !== 'filled'
}

/** The kind and the condition by which the hub checks the value of a filter. */
export function checkOf(
  column: Column | undefined,
  operation: Operation,
): { kind: FilterKind; test: FilterTest } {
  const kind = column && isInstant(column) ? 'instant' : (column?.kind ?? 'text')
  if (operation === 'between') return { kind, test: 'after' }
  const isEmpty = operation === 'empty' || operation === 'filled'
  return { kind, test: isEmpty ? 'empty' : operation }
}

/** `Status contains “open”` */
export function filterLabel(filter: Filter, columns: readonly Column[]): string {
  if (filter.kind === 'flag') {
    const yes = { incomplete: 'Incomplete', missing: 'Missing' }
    const no = { incomplete: 'Complete', missing: 'Not missing' }
    return (filter.value ? yes : no)[filter.name]
  }
  if (filter.kind === 'review') return `Missing records of review ${filter.value}`
  if (filter.kind === 'text') {
    return filter.name === 'changed_since'
      ? `Updated since ${readable(filter.value)}`
      : `Reference is “${filter.value}”`
  }
  const column = columns.find((one) => one.filter === filter.key)
  const { operation, value, until } = filter
  const show = column && isInstant(column) ? readable : (text: string) => `“${shorten(text)}”`
  const label = `${column?.label ?? filter.key} ${operationLabel(operation, column?.kind ?? 'text')}`
  if (!takesValue(operation)) return label
  if (operation === 'in') return `${label} ${filter.values.map(show).join(', ')}`
  return operation === 'between'
    ? `${label} ${show(value)} and ${show(until)}`
    : `${label} ${show(value)}`
}

/** Whether a column contains timestamps of the hub, which all have the same format. */
export function isInstant({ id, kind }: Column): boolean {
  return kind === 'date' && id.startsWith('hub_')
}

function readable(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? `“${shorten(iso)}”` : formatTime(iso)
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
