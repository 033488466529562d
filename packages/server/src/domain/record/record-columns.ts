/** Converts a record to a table row: the hub's columns, then a column for each field. */
import type { Module, StoredRecord } from '@recordhub/protocol'
import {
  type DataPath,
  hasManyValues,
  isNested,
  parsePath,
  valuesAt,
} from '@recordhub/protocol/data-path'
import { commonKindOf } from '@recordhub/protocol/field-filter'
import {
  type JsonObject,
  type JsonValue,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { HubError } from '../../errors.ts'
import { dedupeNames } from '../../lib/text/dedupe-names.ts'
import { parseData } from './record.ts'

/** Members of a record that are hub columns, with their labels. Platforms may have fields of the same names. */
const HUB_LABELS = {
  record_id: 'Record ID',
  platform_name: 'Platform',
  module_name: 'Module',
  record_type: 'Record type',
  reference_number: 'Reference',
  full_name: 'Name',
  incomplete: 'Incomplete',
  missing_since: 'Missing since',
  created_at: 'Received',
  updated_at: 'Updated',
} as const satisfies Partial<Record<keyof StoredRecord, string>>

type HubMember = keyof typeof HUB_LABELS

export const HUB_MEMBERS = Object.keys(HUB_LABELS).filter(isHubMember)

function isHubMember(name: string): name is HubMember {
  return Object.hasOwn(HUB_LABELS, name)
}

const HUB_TIMES: ReadonlySet<string> = new Set(['missing_since', 'created_at', 'updated_at'])

export type RecordColumn = {
  name: string
  header: string
  /** Whether texts that are times are times, and not only written like one. */
  holdsTimes: boolean
} & (
  | { kind: 'hub'; member: HubMember }
  | { kind: 'field' }
  /** A value in the data; a list of values if the path leads into lists. */
  | { kind: 'path'; path: DataPath }
  /** The data that no other column shows, as JSON. */
  | { kind: 'other' }
)

const OTHER: RecordColumn = {
  ...{ kind: 'other', name: 'hub_other', header: 'Other data', holdsTimes: false },
}
const HUB_COLUMNS = HUB_MEMBERS.map((member) => ({
  kind: 'hub' as const,
  name: `hub_${member}`,
  header: HUB_LABELS[member],
  holdsTimes: HUB_TIMES.has(member),
  member,
}))
const OWN_NAMES = new Set([...HUB_COLUMNS, OTHER].map(({ name }) => name))
/** The fields that the hub also stores as columns of its own. */
const OWN_FIELDS: readonly string[] = ['reference_number', 'full_name']
/** Labels are shorter. */
const MAX_HEADER_BYTES = 1000

/**
 * Returns the columns of a table of these modules: the hub's, each field once in the order of the manifests, and
 * `hub_other`. A field with the name of a hub column appears in `hub_other`. The headers are unique: a label that another
 * column has gets a number, and an empty label is replaced by the key. As in the list on the page, the manifest of a single
 * module names the reference and the name.
 * @param chosen the names of the columns: hub columns, keys of fields, paths into fields, or `data.` before any path; null for
 *   all but paths.
 * @throws HubError `invalid_request` for a name that no column has.
 */
export function chooseColumns(
  modules: Pick<Module, 'fields'>[],
  { chosen, header }: { chosen: string[] | null; header: 'key' | 'label' },
): RecordColumn[] {
  const byKey = Map.groupBy(
    modules.flatMap((module) => module.fields),
    ({ key }) => key,
  )
  const fields = [...byKey].flatMap(([name, [field, ...others]]): RecordColumn[] => {
    if (!field || OWN_NAMES.has(name)) return []
    const holdsTimes = commonKindOf([field, ...others]) === 'date'
    const label = field.label.trim() || name
    const title = OWN_FIELDS.includes(name) ? `${label} (field)` : label
    return [{ kind: 'field', name, header: title, holdsTimes }]
  })
  const hub = HUB_COLUMNS.map((column) => {
    const isNamed = modules.length === 1 && OWN_FIELDS.includes(column.member)
    const label = isNamed && byKey.get(column.member)?.[0]?.label.trim()
    return { ...column, header: label || column.header }
  })
  const known = new Map<string, RecordColumn>(
    [...hub, ...fields, OTHER].map((one) => [one.name, one]),
  )
  const labelOf = (key: string) => known.get(key)?.header ?? byKey.get(key)?.[0]?.label.trim()
  const paths = new Map<string, RecordColumn>()
  const columns = chosen?.map((name) => {
    const own = known.get(name) ?? known.get(withoutPrefix(name))
    if (own && (own.kind === 'field' || own.name === name)) return own
    const path = toPathColumn(name, (key) => byKey.has(key), labelOf)
    const column = paths.get(path.name) ?? path
    paths.set(path.name, column)
    return column
  })
  const all = [...known.values(), ...paths.values()]
  const titles = all.map((column) => (header === 'label' ? column.header : column.name))
  const unique = new Map(
    dedupeNames(titles, MAX_HEADER_BYTES).map((title, index) => [all[index]?.name, title]),
  )
  return [...new Set(columns ?? known.values())].map((column) => {
    const title = header === 'label' ? unique.get(column.name) : column.name
    return { ...column, header: title ?? column.name }
  })
}

const PREFIX = 'data.'

function withoutPrefix(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
}

/** @throws HubError `invalid_request` for a name without prefix whose first key is in no manifest of the list. */
function toPathColumn(
  name: string,
  isField: (key: string) => boolean,
  labelOf: (key: string) => string | undefined,
): RecordColumn {
  const path = parsePath(withoutPrefix(name))
  const [first = '', ...rest] = path.steps.filter((step) => typeof step === 'string')
  const isKnown = name.startsWith(PREFIX) ? name !== PREFIX : isNested(path) && isField(first)
  if (!isKnown) rejectColumn(name)
  const header = [labelOf(first) || first, ...rest].join(' · ')
  // A field can have the name of a hub column.
  const shortName = OWN_NAMES.has(path.text) ? name : path.text
  return { kind: 'path', name: shortName, header, holdsTimes: isNested(path), path }
}

function rejectColumn(name: string): never {
  const problem = `names ${JSON.stringify(name)}, which is neither a column of the hub, nor a field of a module in this list or a path into one, nor data.<path>`
  const reason = `columns ${problem}`
  throw new HubError('invalid_request', { reason }, { errors: { columns: [problem] } })
}

/** The members of a stored record that a row shows. `data` is lossless JSON text. */
type RowSource = Record<HubMember, string | number | boolean | null> & { data: string }

/** Returns a function that converts a record to the cells of its row; null for an empty cell. */
export function createCellReader(
  columns: readonly RecordColumn[],
): (record: RowSource) => JsonValue[] {
  const shown = new Set(columns.flatMap(({ kind, name }) => (kind === 'field' ? [name] : [])))
  return (record) => {
    const data = parseData(record.data)
    return columns.map((column) => {
      if (column.kind === 'hub') return record[column.member]
      if (column.kind === 'other') return pickOthers(data, shown)
      if (column.kind === 'path') return readPath(data, column.path)
      return Object.hasOwn(data, column.name) ? (data[column.name] ?? null) : null
    })
  }
}

function readPath(data: JsonObject, path: DataPath): JsonValue {
  const values = valuesAt(data, path)
  const [first = null] = values
  if (!hasManyValues(path) || Object.hasOwn(data, path.text)) return first
  const filled = values.filter((value) => value !== null)
  return filled.length > 0 ? filled : null
}

function pickOthers(data: JsonObject, shown: ReadonlySet<string>): JsonObject | null {
  const others = Object.entries(data).filter(([key]) => !shown.has(key))
  return others.length > 0 ? Object.fromEntries(others) : null
}

/** Returns the text of a cell: strings unchanged, numbers as they were sent, objects and arrays as JSON. */
export function cellText(value: JsonValue): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : stringifyLossless(value)
}
