/**
 * The list query in the page's URL: the same parameters as those of `GET /api/v1/records`, and some of the page itself (the
 * open record).
 */
import { FILTER_TESTS, type FilterTest } from '@recordhub/protocol/field-filter'
import {
  nextFilterName,
  parameterOf,
  parseUrlState,
  pickState,
  toParameters,
  type UrlChanges,
  type UrlState,
} from '../../lib/url-state.ts'

export type Condition = { key: string; test: FilterTest; value: string }

const FILTER = /^filter\[(.+?)\](?:\[(\w+)\])?$/s
const FILTER_PARAMETERS = [
  'platform',
  'record_type',
  'reference_number',
  'q',
  'incomplete',
  'missing',
  'missing_review',
  'changed_since',
] as const
const VIEW = new Set<string>([...FILTER_PARAMETERS, 'sort'])
const PAGE = new Set(['limit', 'cursor'])

const isFieldFilter = (name: string) => FILTER.test(parameterOf(name))

function pick(state: UrlState, isPicked: (name: string) => boolean): UrlState {
  return Object.fromEntries(Object.entries(state).filter(([name]) => isPicked(name)))
}

/** The parameters that saved views, exports and the list have in common. */
function viewOf(state: UrlState): UrlState {
  return pick(state, (name) => VIEW.has(name) || isFieldFilter(name))
}

/** Only the visible rows are rendered, so that a page may have many. */
const ROWS = '100'

/** The query string of the list page in the URL. */
export function listQueryOf(state: UrlState): string {
  const parameters = pick(state, (name) => VIEW.has(name) || PAGE.has(name) || isFieldFilter(name))
  return toParameters({ limit: ROWS, sort: textOfSort(sortOf(state)), ...parameters }).toString()
}

/** The query string of the records of a list, whatever their order and page. */
export function filterQueryOf(state: UrlState): string {
  return toParameters(pick(viewOf(state), (name) => name !== 'sort')).toString()
}

/** What a saved view holds besides the query of its list. */
const LAYOUT = ['columns', 'facets'] as const
export type ViewLayout = Record<(typeof LAYOUT)[number], string>

/** The normalised query string of a saved view with its layout: independent of the order of its parameters. */
export function viewQueryOf(state: UrlState): string {
  const parameters = toParameters({ ...viewOf(state), ...pickState(state, LAYOUT) })
  parameters.sort()
  return parameters.toString()
}

/** Whether the list is that of a saved view. What the view does not hold may differ. */
export function isViewOpen(state: UrlState, layout: ViewLayout, query: string): boolean {
  const view = parseUrlState(query)
  const shown = { ...viewOf(state), ...pickState(layout, Object.keys(view)) }
  return viewQueryOf(view) === viewQueryOf(shown)
}

/** Whether the list has any filter besides platform and module. */
export function isFiltered(state: UrlState): boolean {
  return filterNames(state).length > 0
}

function filterNames(state: UrlState): string[] {
  const others = ['platform', 'record_type', 'sort']
  return Object.keys(viewOf(state)).filter((name) => !others.includes(name))
}

/** The conditions of a list, each once. */
export function conditionsOf(state: UrlState): Condition[] {
  const conditions = Object.entries(state).flatMap(([name, value]): [string, Condition][] => {
    const [, key, testName = 'is'] = FILTER.exec(parameterOf(name)) ?? []
    const test = FILTER_TESTS.find((one) => one === testName)
    if (key === undefined || !test) return []
    return [[JSON.stringify([key, test, value]), { key, test, value }]]
  })
  return [...new Map(conditions).values()]
}

function nameOfCondition({ key, test }: Pick<Condition, 'key' | 'test'>): string {
  return test === 'is' ? `filter[${key}]` : `filter[${key}][${test}]`
}

const withoutAll = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, null]))

/** A changed list starts at its first page. */
export function changeView(changes: UrlChanges): UrlChanges {
  return { ...changes, cursor: null }
}

/** The changes that replace conditions of the list. Both lists may be empty. */
export function replaceConditions(
  state: UrlState,
  before: readonly Condition[],
  after: readonly Condition[],
): UrlChanges {
  const conditions = conditionsOf(state)
  const isSame = (one: Condition) => (other: Condition) =>
    one.key === other.key && one.test === other.test && one.value === other.value
  const positions = before.map((one) => conditions.findIndex(isSame(one)))
  const rest = conditions.map((one, index) => (positions.includes(index) ? null : one))
  rest.splice(positions[0] ?? rest.length, 0, ...after)
  const removed = Object.keys(pick(state, isFieldFilter)).filter(
    (name) => conditionsOf({ [name]: '' }).length > 0,
  )
  const changes: Record<string, string | null> = {
    cursor: null,
    ...withoutAll(removed),
  }
  for (const one of rest) {
    if (one) changes[nextFilterName(changes, nameOfCondition(one))] = one.value
  }
  return changes
}

/** The changes that remove all filters except platform and module. */
export function clearFilters(state: UrlState): UrlChanges {
  return changeView(withoutAll(filterNames(state)))
}

/** The changes that open a saved view. */
export function openView(state: UrlState, query: string): UrlChanges {
  const removed = withoutAll([...Object.keys(viewOf(state)), ...LAYOUT])
  return changeView({ ...removed, ...parseUrlState(query) })
}

export type Sort = { by: string; descending: boolean }
const FIRST_SORT: Sort = { by: 'updated_at', descending: true }
export const NEWEST_FIRST = textOfSort(FIRST_SORT)
/** The order of a search. */
const BEST_FIRST: Sort = { by: 'relevance', descending: false }

export function sortOf(state: UrlState): Sort {
  const { sort, q } = state
  if (sort === undefined) return q === undefined ? FIRST_SORT : BEST_FIRST
  return sort.startsWith('-')
    ? { by: sort.slice(1), descending: true }
    : { by: sort, descending: false }
}

export function textOfSort({ by, descending }: Sort): string {
  return `${descending ? '-' : ''}${by}`
}

export const EXPORT_FORMATS = ['csv', 'xlsx', 'ndjson', 'json'].map((value) => ({
  value,
  label: value.toUpperCase(),
}))
export const EXPORT_STARTED = 'The export has started. Your browser shows its progress.'

type ExportOptions = {
  format: string
  columns: readonly string[] | null
} & Record<'labels' | 'bom' | 'gzip', boolean>

/** The URL of an export of the list. */
export function exportAddress(
  state: UrlState,
  { format, columns, labels, bom, gzip }: ExportOptions,
): string {
  const parameters = toParameters(viewOf(state))
  const isTable = format === 'csv' || format === 'xlsx'
  parameters.set('format', format)
  if (isTable && labels) parameters.set('header', 'label')
  if (format === 'csv' && bom) parameters.set('bom', 'true')
  if (format !== 'xlsx' && gzip) parameters.set('gzip', 'true')
  if (isTable && columns) {
    for (const column of columns) parameters.append('columns', column)
    // A single value is split at commas; a repeated parameter is not.
    if (columns.length === 1) parameters.append('columns', columns[0] ?? '')
  }
  return `/api/v1/records/export?${parameters}`
}
