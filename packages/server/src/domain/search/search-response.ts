/** Parses the response of a platform's own search. Its shape is not specified, so the hub tries the usual ones. */
import type { FoundRecord } from '@recordhub/protocol'
import { isJsonObject, type JsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { valueText } from '../record/sort-key.ts'

type ParsedSearchResponse =
  | { outcome: 'found'; found: number; records: FoundRecord[] }
  /** The hub found no records in the response and shows it unchanged. */
  | { outcome: 'raw'; value: JsonValue }

/** A found record, and the name of the group that contains it; null for none. */
type Found = { element: JsonObject; group: string | null }

/** The members that may contain records, in the order in which they are tried. */
const CONTAINERS = ['records', 'results', 'data', 'items', 'record', 'result', 'person'] as const
/** Only a record has these members. */
const RECORD_MEMBERS = ['reference_number', 'full_name'] as const
/** An object that contains no records and has one of these members is itself a person. */
const PERSON_MEMBERS = ['name', 'first_name', 'last_name', 'id'] as const
/** The deepest supported shape is a page in a group in a container. */
const MAX_DEPTH = 3

/** @param limit the maximum number of records that are returned; `found` counts all of them. */
export function parseSearchResponse(value: JsonValue, limit: number): ParsedSearchResponse {
  const all = findRecords(value, 0)
  if (!all) return { outcome: 'raw', value }
  return { outcome: 'found', found: all.length, records: all.slice(0, limit).map(toFound) }
}

/** Returns null if the value has no supported shape. */
function findRecords(value: JsonValue, depth: number): Found[] | null {
  if (Array.isArray(value)) return toList(value)
  if (!isJsonObject(value) || depth > MAX_DEPTH) return null
  const itself = [{ element: value, group: null }]
  if (hasText(value, RECORD_MEMBERS)) return itself
  const found = findInContainers(value, depth)
  if (found) return found
  if (hasText(value, PERSON_MEMBERS)) return itself
  // At the top level, other members may be lists of anything.
  return depth > 0 ? findInGroups(value, depth) : null
}

function toList(values: JsonValue[]): Found[] | null {
  return values.every(isJsonObject) ? values.map((element) => ({ element, group: null })) : null
}

/** Finds the records of `{"records": [...]}`, of a page such as `{"data": {"data": [...]}}` or of `{"data": {"name": …}}`. */
function findInContainers(value: JsonObject, depth: number): Found[] | null {
  const members = CONTAINERS.flatMap((name) => (Object.hasOwn(value, name) ? [value[name]] : []))
  for (const member of members) {
    const found = findRecords(member ?? null, depth + 1)
    if (found) return found
  }
  // A search for a single person returns null if there is no match.
  return members.includes(null) ? [] : null
}

/** Finds the records of `{"employee": [...], "student": {"data": [...]}}`; an empty object has none. */
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
  return isJsonObject(value) && depth < MAX_DEPTH ? findInContainers(value, depth + 1) : null
}

function hasText(value: JsonObject, members: readonly string[]): boolean {
  return members.some((member) => Object.hasOwn(value, member) && textOf(value[member]) !== null)
}

/** Returns an element as a record. If it has no `data` member, all its other members are its data. */
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
