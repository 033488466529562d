/** Reads the response of a platform's own search. Its shape is open, so the hub looks where records usually are. */
import type { FoundRecord } from '@recordhub/protocol'
import { isJsonObject, type JsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { valueText } from '../record/sort-key.ts'

export type ReadSearchAnswer =
  | { outcome: 'found'; found: number; records: FoundRecord[] }
  /** The hub found no records in it: the value is shown as it is. */
  | { outcome: 'raw'; value: JsonValue }

/** A found record, and the name of the group that it was found in; null for none. */
type Found = { element: JsonObject; group: string | null }

/** The members that hold records, in the order in which they are tried. */
const PLACES = ['records', 'results', 'data', 'items', 'record', 'result', 'person'] as const
/** The members that only a record has. */
const OF_A_RECORD = ['reference_number', 'full_name'] as const
/** The members that show that an object without records is a person itself. */
const OF_A_PERSON = ['name', 'first_name', 'last_name', 'id'] as const
/** A page in a group in a place is the deepest shape that is understood. */
const MAX_DEPTH = 3

/** @param limit the maximum number of records that are returned; `found` counts all of them. */
export function readSearchAnswer(value: JsonValue, limit: number): ReadSearchAnswer {
  const all = findRecords(value, 0)
  if (!all) return { outcome: 'raw', value }
  return { outcome: 'found', found: all.length, records: all.slice(0, limit).map(toFound) }
}

/** Null where the value has no shape that is understood. */
function findRecords(value: JsonValue, depth: number): Found[] | null {
  if (Array.isArray(value)) return toList(value)
  if (!isJsonObject(value) || depth > MAX_DEPTH) return null
  const itself = [{ element: value, group: null }]
  if (hasText(value, OF_A_RECORD)) return itself
  const found = findInPlaces(value, depth)
  if (found) return found
  if (hasText(value, OF_A_PERSON)) return itself
  // The envelope may have any lists.
  return depth > 0 ? findInGroups(value, depth) : null
}

function toList(values: JsonValue[]): Found[] | null {
  return values.every(isJsonObject) ? values.map((element) => ({ element, group: null })) : null
}

/** The records of `{"records": [...]}`, of a page such as `{"data": {"data": [...]}}` or of `{"data": {"name": …}}`. */
function findInPlaces(value: JsonObject, depth: number): Found[] | null {
  const members = PLACES.flatMap((place) => (Object.hasOwn(value, place) ? [value[place]] : []))
  for (const member of members) {
    const found = findRecords(member ?? null, depth + 1)
    if (found) return found
  }
  // A search for one person that finds none.
  return members.includes(null) ? [] : null
}

/** The records of `{"employee": [...], "student": {"data": [...]}}`; an empty object has none. */
function findInGroups(value: JsonObject, depth: number): Found[] | null {
  const members = Object.entries(value)
  if (members.length === 0) return []
  const groups = members.flatMap(([group, member]) => {
    const records = Array.isArray(member) ? toList(member) : findPage(member, depth)
    return records ? [records.map(({ element }) => ({ element, group }))] : []
  })
  return groups.length > 0 ? groups.flat() : null
}

function findPage(value: JsonValue, depth: number): Found[] | null {
  return isJsonObject(value) && depth < MAX_DEPTH ? findInPlaces(value, depth + 1) : null
}

function hasText(value: JsonObject, members: readonly string[]): boolean {
  return members.some((member) => Object.hasOwn(value, member) && textOf(value[member]) !== null)
}

/** As a record of the hub where it looks like one; else all its members are its data. */
function toFound({ element, group }: Found): FoundRecord {
  const { reference_number, full_name, record_type, data, ...rest } = element
  return {
    reference_number: textOf(reference_number),
    full_name: textOf(full_name),
    record_type: textOf(record_type) ?? group,
    data: data === undefined ? rest : data,
  }
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'object' && !JSON.isRawJSON(value) ? null : valueText(value)
}
