/** The filters of a list as people set them, and as they stand in the URL. */
import { formatTime } from '../../lib/format.ts'
import type { UrlChanges, UrlState } from '../../lib/url-state.ts'
import type { Column, ColumnKind } from './columns.ts'
import { type Condition, changeView, conditionsOf, replaceConditions } from './list-query.ts'

export const OPERATIONS = [
  'is',
  'contains',
  'starts',
  'after',
  'before',
  'between',
  'empty',
  'filled',
] as const
export type Operation = (typeof OPERATIONS)[number]

export type ConditionFilter = {
  kind: 'condition'
  key: string
  operation: Operation
  value: string
  /** The end of a range, which does not hold it. */
  until: string
}
type FlagFilter = { kind: 'flag'; name: 'incomplete' | 'missing'; value: boolean }
/** The records of a review of missing records: a link leads to it, and it is removed but not changed. */
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
    const after = ofKey.find(({ test }) => test === 'after')
    const before = ofKey.find(({ test }) => test === 'before')
    if (!after || !before) return ofKey.map(toFilter)
    const range: ConditionFilter = {
      kind: 'condition',
      key: after.key,
      operation: 'between',
      value: after.value,
      until: before.value,
    }
    return [range, ...ofKey.filter((one) => one !== after && one !== before).map(toFilter)]
  })
}

function toFilter({ key, test, value }: Condition): ConditionFilter {
  if (test !== 'empty') return { kind: 'condition', key, operation: test, value, until: '' }
  const operation = value === 'true' ? 'empty' : 'filled'
  return { kind: 'condition', key, operation, value: '', until: '' }
}

function toConditions({ key, operation, value, until }: ConditionFilter): Condition[] {
  switch (operation) {
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

/** The changes of the URL that put a filter in the place of another one; null for none. */
export function replaceFilter(before: Filter | null, after: Filter | null): UrlChanges {
  const conditions = (filter: Filter | null) =>
    filter?.kind === 'condition' ? toConditions(filter) : []
  const others = (filter: Filter | null): UrlChanges =>
    filter === null || filter.kind === 'condition' ? {} : { [filter.name]: String(filter.value) }
  const removed = Object.fromEntries(Object.keys(others(before)).map((name) => [name, null]))
  return {
    ...replaceConditions(conditions(before), conditions(after)),
    ...changeView({ ...removed, ...others(after) }),
  }
}

const WORDS: Record<Operation, Record<ColumnKind, string>> = {
  is: { text: 'is', number: 'is', date: 'is' },
  contains: { text: 'contains', number: 'contains', date: 'contains' },
  starts: { text: 'begins with', number: 'begins with', date: 'begins with' },
  after: { text: 'is or comes after', number: 'is at least', date: 'is at or after' },
  before: { text: 'comes before', number: 'is less than', date: 'is before' },
  between: { text: 'is between', number: 'is between', date: 'is between' },
  empty: { text: 'is empty', number: 'is empty', date: 'is empty' },
  filled: { text: 'is not empty', number: 'is not empty', date: 'is not empty' },
}
const FIRST: Record<ColumnKind, readonly Operation[]> = {
  text: ['contains', 'is', 'starts'],
  number: ['is', 'between', 'after', 'before'],
  date: ['between', 'after', 'before'],
}

/** The tests that a column may be put to, the likeliest first. */
export function operationsFor(kind: ColumnKind): { value: Operation; label: string }[] {
  const first = FIRST[kind]
  const all = [...first, ...OPERATIONS.filter((one) => !first.includes(one))]
  return all.map((value) => ({ value, label: WORDS[value][kind] }))
}

export function firstOperation(kind: ColumnKind): Operation {
  return FIRST[kind][0] ?? 'is'
}

/** Where a new filter of a column begins. */
export function emptyFilter({ filter, kind }: Column): ConditionFilter {
  const operation = firstOperation(kind)
  return { kind: 'condition', key: filter ?? '', operation, value: '', until: '' }
}

export function takesValue(operation: Operation): boolean {
  return operation !== 'empty' && operation !== 'filled'
}

/** `Status contains “open”` */
export function wordsOfFilter(filter: Filter, columns: readonly Column[]): string {
  if (filter.kind === 'flag') {
    const yes = { incomplete: 'Incomplete', missing: 'Missing at the platform' }
    const no = { incomplete: 'Complete', missing: 'Not missing at the platform' }
    return (filter.value ? yes : no)[filter.name]
  }
  if (filter.kind === 'review') return `Review ${filter.value} of missing records`
  if (filter.kind === 'text') {
    return filter.name === 'changed_since'
      ? `Changed since ${readable(filter.value)}`
      : `Reference is “${filter.value}”`
  }
  const column = columns.find((one) => one.filter === filter.key)
  const { operation, value, until } = filter
  const show = column && isInstant(column) ? readable : (text: string) => `“${shorten(text)}”`
  const words = `${column?.label ?? filter.key} ${WORDS[operation][column?.kind ?? 'text']}`
  if (!takesValue(operation)) return words
  return operation === 'between'
    ? `${words} ${show(value)} and ${show(until)}`
    : `${words} ${show(value)}`
}

/** Times that the hub itself wrote, which are all of one form. */
export function isInstant({ id, kind }: Column): boolean {
  return kind === 'date' && id.startsWith('hub_')
}

function readable(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? `“${shorten(iso)}”` : formatTime(iso)
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

/** What a `datetime-local` input shows of an instant. */
export function toLocalInput(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The instant that somebody put into a `datetime-local` input, "" for none. */
export function fromLocalInput(text: string): string {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString()
}
