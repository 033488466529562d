/** A record as a row: what the hub knows of it, then a column a field. */

import type { Module, StoredRecord } from '@recordhub/protocol'
import {
  type JsonObject,
  type JsonValue,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { parseData } from './record.ts'

/** Members of a record that are columns of the hub; platforms have fields of the same names. */
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
  /** What no other column shows, as JSON. */
  | { kind: 'other' }
)

const OTHER: RecordColumn = { kind: 'other', name: 'hub_other', header: 'hub_other' }
const HUB_COLUMNS: readonly RecordColumn[] = HUB_MEMBERS.map((member) => {
  const name = `hub_${member}`
  return { kind: 'hub', name, header: name, member }
})
const OWN_COLUMNS = new Map([...HUB_COLUMNS, OTHER].map((column) => [column.name, column]))

/**
 * The columns of a table of these modules: the hub's, each field once in the order of the manifests, and
 * `hub_other`. A field that bears the name of a column of the hub is found in `hub_other`.
 * @param chosen the columns to be shown, by name, where not all; a name that is no column of the hub is a
 *   key of `data`, whether a manifest names it or not.
 */
export function chooseColumns(
  modules: Pick<Module, 'fields'>[],
  { chosen, header }: { chosen: string[] | null; header: 'key' | 'label' },
): RecordColumn[] {
  const fields = new Map<string, RecordColumn>()
  for (const { key, label } of modules.flatMap((module) => module.fields)) {
    if (OWN_COLUMNS.has(key) || fields.has(key)) continue
    const name = header === 'label' ? label : key
    fields.set(key, { kind: 'field', name: key, header: name })
  }
  if (chosen === null) return [...HUB_COLUMNS, ...fields.values(), OTHER]
  return [...new Set(chosen)].map(
    (name) => OWN_COLUMNS.get(name) ?? fields.get(name) ?? { kind: 'field', name, header: name },
  )
}

/** What of a stored record its row shows. `data` is exact JSON text. */
export type RowSource = Record<HubMember, string | number | boolean | null> & { data: string }

/** Gives the cells of a record's row, null where there is nothing. */
export function createCellReader(
  columns: readonly RecordColumn[],
): (record: RowSource) => JsonValue[] {
  const shown = new Set(columns.flatMap(({ kind, name }) => (kind === 'field' ? [name] : [])))
  return (record) => {
    const data = parseData(record.data)
    return columns.map((column) => {
      if (column.kind === 'hub') return record[column.member]
      if (column.kind === 'other') return othersOf(data, shown)
      return Object.hasOwn(data, column.name) ? (data[column.name] ?? null) : null
    })
  }
}

function othersOf(data: JsonObject, shown: ReadonlySet<string>): JsonObject | null {
  const others = Object.entries(data).filter(([key]) => !shown.has(key))
  return others.length > 0 ? Object.fromEntries(others) : null
}

/** A cell as text: strings as they are, numbers as they were sent, objects and lists as JSON. */
export function cellText(value: JsonValue): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : stringifyLossless(value)
}
