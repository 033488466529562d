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
      ...(values.length === 0 ? [] : [oneOf(ofKey[0]?.key ?? '', values)]),
      ...ranges.map(
        ({ after, before }): ConditionFilter => ({
          kind: 'condition',
          key: after.key,
          operation: 'between',
          value: after.value,
          until: before?.value ?? '',
          values: [],
        }),
      ),
      ...ofKey.filter((one) => !joined.has(one) && one.test !== 'in').map(toFilter),
    ]
  })
}

function toFilter({ key, test, value }: Condition): ConditionFilter {
  const filter = { kind: 'condition', key, value, until: '', values: [] } as const
  if (test !== 'empty') return { ...filter, operation: test }
  return { ...filter, operation: value === 'true' ? 'empty' : 'filled', value: '' }
}

function oneOf(key: string, values: readonly string[]): ConditionFilter {
  return { kind: 'condition', key, operation: 'in', value: '', until: '', values }
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
  if (values.length > 1) return oneOf(key, values)
  return { kind: 'condition', key, operation: 'is', value: first, until: '', values: [] }
}

/** The number of facets, and of the values that one may have. */
const MAX_FACETS = 2
const MAX_FACET_VALUES = 20

/** The fields that are offered as facets: the first ones of the manifest that have few values. */
export function facetFieldsOf(fields: readonly DataField[]): DataField[] {
  return fields
    .filter(
      ({ parent, types, distinct }) =>
        parent === null &&
        distinct !== null &&
        distinct > 1 &&
        distinct <= MAX_FACET_VALUES &&
        types.every((type) => type === 'text' || type === 'boolean'),
    )
    .slice(0, MAX_FACETS)
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

const OPERATION_LABELS: Record<Operation, Record<ColumnKind, string>> = {
  is: { text: 'is', number: 'is', date: 'is', boolean: 'is' },
  ne: { text: 'is not', number: 'is not', date: 'is not', boolean: 'is not' },
  in: { text: 'is one of', number: 'is one of', date: 'is one of', boolean: 'is one of' },
  contains: { text: 'contains', number: 'contains', date: 'contains', boolean: 'contains' },
  starts: {
    text: 'starts with',
    number: 'starts with',
    date: 'starts with',
    boolean: 'starts with',
  },
  after: {
    text: 'is at or after',
    number: 'is at least',
    date: 'is at or after',
    boolean: 'is at or after',
  },
  before: { text: 'is before', number: 'is less than', date: 'is before', boolean: 'is before' },
  between: { text: 'is between', number: 'is between', date: 'is between', boolean: 'is between' },
  empty: { text: 'is empty', number: 'is empty', date: 'is empty', boolean: 'is empty' },
  filled: {
    text: 'is not empty',
    number: 'is not empty',
    date: 'is not empty',
    boolean: 'is not empty',
  },
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
  return all.map((value) => ({ value, label: OPERATION_LABELS[value][kind] }))
}

export function firstOperation(kind: ColumnKind): Operation {
  return FIRST[kind][0] ?? 'is'
}

/** The initial value of a new filter for a column. */
export function emptyFilter({ filter, kind }: Column): ConditionFilter {
  const operation = firstOperation(kind)
  return { kind: 'condition', key: filter ?? '', operation, value: '', until: '', values: [] }
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
  const label = `${column?.label ?? filter.key} ${OPERATION_LABELS[operation][column?.kind ?? 'text']}`
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
