import { type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { type PulledInput, scanPulled } from '../../domain/record/record-input.ts'
import { decodeJson, MalformedJsonError, NOT_UTF8 } from '../../lib/json/json-array-scanner.ts'
import { elementBytes, type JsonChunk } from '../../lib/json/json-chunk.ts'
import { isStorableText } from '../../lib/text/code-points.ts'
import { describeSyntaxError } from '../request/not-json.ts'

/** Elements of `records` that arrived together and are not parsed yet. */
export type RecordsChunk = JsonChunk

/** One element of `records`. It must not be used after its chunk was released. */
export class RecordElement {
  /** The record, if it could be read without parsing the element. */
  readonly record: PulledInput | null
  readonly #chunk: RecordsChunk
  readonly #position: number
  #value: JsonValue | undefined

  constructor(
    chunk: RecordsChunk,
    position: number,
    known: { record: PulledInput } | { value: JsonValue },
  ) {
    this.#chunk = chunk
    this.#position = position
    this.record = 'record' in known ? known.record : null
    this.#value = 'value' in known ? known.value : undefined
  }

  /** The index in `records` of its page. */
  get index(): number {
    return this.#chunk.firstIndex + this.#position
  }

  /** The element as received. */
  get bytes(): Uint8Array {
    return elementBytes(this.#chunk, this.#position)
  }

  /** The parsed element. */
  get value(): JsonValue {
    if (this.#value === undefined) this.#value = parseLossless(decodeJson(this.bytes))
    return this.#value
  }
}

const REFERENCE_KEY = Buffer.from('"reference_number"')
const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Finds the reference number of an element without parsing it: the value of the first `reference_number` key at any
 * depth. Null without one, or for one with an escape sequence. The caller must verify the result by other means.
 * @param text the bytes of the chunk.
 */
export function peekReference(
  text: Buffer,
  { starts, ends }: RecordsChunk,
  position: number,
): string | null {
  const end = ends[position] ?? 0
  const key = text.indexOf(REFERENCE_KEY, starts[position])
  if (key < 0 || key >= end) return null
  const colon = afterSpaces(text, key + REFERENCE_KEY.length)
  const quote = afterSpaces(text, colon + 1)
  if (text[colon] !== COLON || text[quote] !== QUOTE) return null
  let at = quote + 1
  while (at < end && text[at] !== QUOTE && text[at] !== BACKSLASH) at += 1
  if (at >= end || text[at] !== QUOTE) return null
  const reference = text.toString('utf8', quote + 1, at)
  return isStorableText(reference) ? reference : null
}

function afterSpaces(text: Uint8Array, from: number): number {
  let at = from
  while (SPACES.has(text[at] ?? 0)) at += 1
  return at
}

/** The bytes of a chunk, not copied. */
export function toBuffer({ bytes }: RecordsChunk): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * Reads the elements of a chunk at the given positions. Parses those from the first one on that cannot be read without,
 * since a platform writes all of its records in the same way.
 * @returns the elements before the first one that is not valid JSON, and the error of that one; null without an error.
 */
export function readElements(
  chunk: RecordsChunk,
  positions: readonly number[],
): { elements: RecordElement[]; error: string | null } {
  const elements = scanElements(chunk, positions)
  const rest = positions.slice(elements.length)
  const values = rest.length > chunk.starts.length / 2 ? parseAll(chunk) : null
  for (const position of rest) {
    let value = values?.[position]
    if (value === undefined) {
      const parsed = parseJson(elementBytes(chunk, position))
      if ('error' in parsed) {
        const number = chunk.firstIndex + position + 1
        return { elements, error: `its record ${number} ${parsed.error}` }
      }
      value = parsed.value
    }
    elements.push(new RecordElement(chunk, position, { value }))
  }
  return { elements, error: null }
}

/** Reads elements without parsing them, up to the first one for which that is not possible. */
function scanElements(chunk: RecordsChunk, positions: readonly number[]): RecordElement[] {
  const buffer = toBuffer(chunk)
  const elements: RecordElement[] = []
  for (const position of positions) {
    const record = scanPulled(buffer, chunk.starts[position] ?? 0, chunk.ends[position] ?? 0)
    if (record === null) break
    elements.push(new RecordElement(chunk, position, { record }))
  }
  return elements
}

/** Parses all elements at once, which is faster; null when one of them is not valid JSON. */
function parseAll(chunk: RecordsChunk): JsonValue[] | null {
  const parsed = parseJson(chunk.bytes)
  if ('error' in parsed || !Array.isArray(parsed.value)) return null
  return parsed.value.length === chunk.starts.length ? parsed.value : null
}

function parseJson(bytes: Uint8Array): { value: JsonValue } | { error: string } {
  let text = ''
  try {
    text = decodeJson(bytes)
    return { value: parseLossless(text) }
  } catch (error) {
    if (error instanceof MalformedJsonError) return { error: NOT_UTF8 }
    if (!(error instanceof SyntaxError)) throw error
    return { error: `is not valid JSON (${describeSyntaxError(text, error)})` }
  }
}
