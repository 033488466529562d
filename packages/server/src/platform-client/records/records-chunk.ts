import { type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { decodeJson, MalformedJsonError } from '../../lib/json/json-array-scanner.ts'
import { elementBytes, type JsonChunk } from '../../lib/json/json-chunk.ts'
import { isStorableText } from '../../lib/text/storable-text.ts'

/** Elements of `records` that arrived together and are not parsed yet. */
export type RecordsChunk = JsonChunk

/** One element of `records`: its index, its bytes as received, and its parsed value. */
export type RecordElement = { index: number; bytes: Uint8Array; value: JsonValue }

const REFERENCE_KEY = Buffer.from('"reference_number"')
const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Finds the reference number of an element without parsing it: the value of the first `reference_number` key at any
 * depth. Null without one, or for one with an escape sequence. The caller must verify the result by other means.
 */
export function peekReference(chunk: RecordsChunk, position: number): string | null {
  const { bytes, starts, ends } = chunk
  const end = ends[position] ?? 0
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
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

/**
 * Parses the elements of a chunk at the given positions.
 * @returns the elements before the first one that is not valid JSON, and the error of that one; null without an error.
 */
export function parseElements(
  chunk: RecordsChunk,
  positions: readonly number[],
): { elements: RecordElement[]; error: string | null } {
  const values = positions.length === chunk.starts.length ? parseAll(chunk) : null
  const elements: RecordElement[] = []
  for (const position of positions) {
    const bytes = elementBytes(chunk, position)
    const index = chunk.firstIndex + position
    let value = values?.[position]
    if (value === undefined) {
      const parsed = parseJson(bytes)
      if ('error' in parsed) return { elements, error: `its record ${index + 1} ${parsed.error}` }
      value = parsed.value
    }
    elements.push({ index, bytes, value })
  }
  return { elements, error: null }
}

/** Parses all elements at once, which is faster; null when one of them is not valid JSON. */
function parseAll(chunk: RecordsChunk): JsonValue[] | null {
  const parsed = parseJson(chunk.bytes)
  if ('error' in parsed || !Array.isArray(parsed.value)) return null
  return parsed.value.length === chunk.starts.length ? parsed.value : null
}

function parseJson(bytes: Uint8Array): { value: JsonValue } | { error: string } {
  try {
    return { value: parseLossless(decodeJson(bytes)) }
  } catch (error) {
    if (error instanceof MalformedJsonError) return { error: 'is not valid UTF-8' }
    if (error instanceof SyntaxError) return { error: `is not valid JSON (${error.message})` }
    throw error
  }
}
