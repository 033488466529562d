import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseLossless,
} from '@recordhub/protocol/lossless-json'
import { SourceFault } from '../source.ts'
import { readLines, readText } from './read-text.ts'

/** A list in one file has to be held. */
const MOST_BYTES = 32 * 1024 * 1024

/** An object on each line. */
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

/** A list of objects, by itself or as the member `records`. */
export async function* readJsonList(
  path: string,
  encoding: string | null,
  bytes: number,
): AsyncGenerator<JsonObject> {
  if (bytes > MOST_BYTES) {
    const most = MOST_BYTES / 1024 / 1024
    throw new SourceFault(
      `${path} is larger than ${most} MB: make it NDJSON (an object on each line), which is read line by line`,
    )
  }
  const value = parse((await Array.fromAsync(readText(path, encoding))).join(''), path)
  const list = isJsonObject(value) ? value['records'] : value
  if (!Array.isArray(list)) throw new SourceFault(`${path} holds no list of objects`)
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item)) throw new SourceFault(`${path}: element ${index + 1} is no object`)
    yield item
  }
}

function toObject(text: string, place: string): JsonObject {
  const value = parse(text, place)
  if (!isJsonObject(value)) throw new SourceFault(`${place} is no object`)
  return value
}

function parse(text: string, place: string): JsonValue {
  try {
    return parseLossless(text)
  } catch (error) {
    // The words of the parser may hold parts of the data.
    throw new SourceFault(`${place} is no JSON${error instanceof SyntaxError ? '' : `: ${error}`}`)
  }
}
