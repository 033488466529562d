/** NDJSON and JSON files. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseLossless,
} from '@recordhub/protocol/lossless-json'
import type { Kind } from '../../records/kind.ts'
import { type Column, SourceMisconfigured } from '../source.ts'
import { readLines, readText } from './read-text.ts'

/** A JSON file is read completely into memory. */
const MAX_BYTES = 32 * 1024 * 1024

/** Reads one object per line. */
export async function* readNdjson(
  path: string,
  encoding: string | null,
): AsyncGenerator<JsonObject> {
  let number = 0
  for await (const line of readLines(path, encoding)) {
    number += 1
    if (line.trim() !== '') yield toObject(line, `${path}:${number}`)
  }
}

/** Reads an array of objects, at the top level or in the member `records`. */
export async function* readJsonList(
  path: string,
  encoding: string | null,
  bytes: number,
): AsyncGenerator<JsonObject> {
  if (bytes > MAX_BYTES) {
    const maxMegabytes = MAX_BYTES / 1024 / 1024
    throw new SourceMisconfigured(
      `${path} is larger than ${maxMegabytes} MB: convert it to NDJSON (one object per line), which is read line by line`,
    )
  }
  const value = parse((await Array.fromAsync(readText(path, encoding))).join(''), path)
  const list = isJsonObject(value) ? value['records'] : value
  if (!Array.isArray(list))
    throw new SourceMisconfigured(`${path} does not contain an array of objects`)
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item))
      throw new SourceMisconfigured(`${path}: element ${index + 1} is not an object`)
    yield item
  }
}

function toObject(text: string, position: string): JsonObject {
  const value = parse(text, position)
  if (!isJsonObject(value)) throw new SourceMisconfigured(`${position} is not an object`)
  return value
}

function parse(text: string, position: string): JsonValue {
  try {
    return parseLossless(text)
  } catch (error) {
    // The message of another error may contain data.
    throw new SourceMisconfigured(
      `${position} is not valid JSON${error instanceof SyntaxError ? '' : `: ${error}`}`,
    )
  }
}

/** Enough to find rare members, few enough to be fast. */
const MAX_OBJECTS = 10_000

/** The members of the first objects and their kinds; members of different kinds are sent unchanged. */
export async function describeObjects(
  objects: AsyncIterable<Record<string, JsonValue>>,
): Promise<Column[]> {
  const kinds = new Map<string, Kind | null>()
  let count = 0
  for await (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const before = kinds.get(name) ?? null
      const kind = kindOf(value)
      kinds.set(
        name,
        before === null || kind === null ? (kind ?? before) : before === kind ? kind : 'any',
      )
    }
    count += 1
    if (count === MAX_OBJECTS) break
  }
  return [...kinds].map(([name, kind]) => ({
    name,
    kind: kind ?? 'any',
    type: kind ?? 'null',
    comment: null,
    required: false,
  }))
}

/** Null for null. Texts are sent unchanged, so their kind is "any". */
function kindOf(value: JsonValue): Kind | null {
  if (value === null) return null
  if (typeof value === 'string') return 'any'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' || JSON.isRawJSON(value) ? 'number' : 'json'
}
