/** Converts a record to a table row: the hub's columns, then a column for each field. */
import type { Module, StoredRecord } from '@recordhub/protocol'
import {
  type JsonObject,
  type JsonValue,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { HubError } from '../../errors.ts'
import { dedupeNames } from '../../lib/text/dedupe-names.ts'
import { parseData } from './record.ts'

/** Members of a record that are hub columns. Platforms may have fields of the same names. */
export const HUB_MEMBERS = [
  'record_id',
  'platform_name',
  'module_name',
  'record_type',
  'reference_number',
  'full_name',
  'incomplete',
  'missing_since',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof StoredRecord)[]

type HubMember = (typeof HUB_MEMBERS)[number]

export type RecordColumn = { name: string; header: string } & (
  | { kind: 'hub'; member: HubMember }
  | { kind: 'field' }
  /** The data that no other column shows, as JSON. */
  | { kind: 'other' }
)

const OTHER: RecordColumn = { kind: 'other', name: 'hub_other', header: 'hub_other' }
const HUB_COLUMNS: readonly RecordColumn[] = HUB_MEMBERS.map((member) => {
  const name = `hub_${member}`
  return { kind: 'hub', name, header: name, member }
})
const OWN_COLUMNS = [...HUB_COLUMNS, OTHER]
const OWN_NAMES = new Set(OWN_COLUMNS.map(({ name }) => name))
/** Labels are shorter. */
const MAX_HEADER_BYTES = 1000

/**
 * Returns the columns of a table of these modules: the hub's, each field once in the order of the manifests, and
 * `hub_other`. A field with the name of a hub column appears in `hub_other`. The headers are unique: a label that another
 * column has gets a number, and an empty label is replaced by the key.
 * @param chosen the names of the columns, which are hub columns or keys of fields; null for all.
 * @throws HubError `invalid_request` for a name that no column has.
 */
export function chooseColumns(
  modules: Pick<Module, 'fields'>[],
  { chosen, header }: { chosen: string[] | null; header: 'key' | 'label' },
): RecordColumn[] {
  const labels = new Map<string, string>()
  for (const { key, label } of modules.flatMap((module) => module.fields)) {
    if (!OWN_NAMES.has(key) && !labels.has(key)) labels.set(key, label.trim() || key)
  }
  // The hub's columns keep their names.
  const unique = dedupeNames([...OWN_NAMES, ...labels.values()], MAX_HEADER_BYTES)
  const fields = [...labels.keys()].map((name, index): RecordColumn => {
    const label = unique[OWN_COLUMNS.length + index] ?? name
    return { kind: 'field', name, header: header === 'label' ? label : name }
  })
  const columns = [...HUB_COLUMNS, ...fields, OTHER]
  if (chosen === null) return columns
  const byName = new Map(columns.map((column) => [column.name, column]))
  return [...new Set(chosen)].map((name) => byName.get(name) ?? rejectColumn(name))
}

function rejectColumn(name: string): never {
  const problem = `names ${JSON.stringify(name)}, which is neither a column of the hub nor a field of a module in this list`
  const reason = `columns ${problem}`
  throw new HubError('invalid_request', { reason }, { errors: { columns: [problem] } })
}

/** The members of a stored record that a row shows. `data` is lossless JSON text. */
export type RowSource = Record<HubMember, string | number | boolean | null> & { data: string }

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
      return Object.hasOwn(data, column.name) ? (data[column.name] ?? null) : null
    })
  }
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
