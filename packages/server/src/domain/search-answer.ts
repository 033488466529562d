/** What a platform's own search answers: its shape is open, so the hub looks where records usually stand. */
import type { FoundRecord } from '@recordhub/protocol'
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/exact-json.ts'
import { valueText } from './sort-key.ts'

export type ReadSearchAnswer =
  | { outcome: 'found'; found: number; records: FoundRecord[] }
  /** No list of records: the value is for people to read. */
  | { outcome: 'raw'; value: JsonValue }

const PLACES = ['records', 'results', 'data'] as const

/** @param limit so many of the records are wanted; `found` counts all of them. */
export function readSearchAnswer(value: JsonValue, limit: number): ReadSearchAnswer {
  const list = findList(value)
  if (!list) return { outcome: 'raw', value }
  return { outcome: 'found', found: list.length, records: list.slice(0, limit).map(toFound) }
}

function findList(value: JsonValue): JsonObject[] | null {
  const places = isJsonObject(value) ? PLACES.map((place) => value[place]) : [value]
  const list = places.find((place) => Array.isArray(place))
  return Array.isArray(list) && list.every(isJsonObject) ? list : null
}

/** As a record of the hub where it looks like one; else all its members are its data. */
function toFound(element: JsonObject): FoundRecord {
  const { reference_number, full_name, record_type, data, ...rest } = element
  return {
    reference_number: textOf(reference_number),
    full_name: textOf(full_name),
    record_type: textOf(record_type),
    data: data === undefined ? rest : data,
  }
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'object' && !JSON.isRawJSON(value) ? null : valueText(value)
}
