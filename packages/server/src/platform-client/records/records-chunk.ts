import { decodeJson, MalformedJsonError } from '../../lib/json/json-array-scanner.ts'
import { elementBytes, type JsonChunk } from '../../lib/json/json-chunk.ts'
import { type JsonValue, parseLossless } from '../../lib/json/lossless-json.ts'
import { isStorableText } from '../../lib/text/storable-text.ts'

/** Elements of `records` that came together, not parsed yet. */
export type RecordsChunk = JsonChunk

/** One element of `records`: its place, its bytes as they came, and what they say. */
export type RecordElement = { index: number; bytes: Uint8Array; value: JsonValue }

const REFERENCE_KEY = Buffer.from('"reference_number"')
const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * The reference that an element seems to bear, without a parse: that of the first such key, wherever it
 * stands. Null where there is none, or one that is written with an escape. Whoever uses it must know by
 * other means that it is right.
 */
export function peekReference(slice: RecordsChunk, position: number): string | null {
  const { bytes, starts, ends } = slice
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
 * Parses the elements of a slice that stand at the given positions.
 * @returns the elements up to the first that is no JSON, and what is wrong with that one, in words; null
 *   where there is none.
 */
export function parseElements(
  slice: RecordsChunk,
  positions: readonly number[],
): { elements: RecordElement[]; flaw: string | null } {
  const values = positions.length === slice.starts.length ? parseAll(slice) : null
  const elements: RecordElement[] = []
  for (const position of positions) {
    const bytes = elementBytes(slice, position)
    const index = slice.firstIndex + position
    let value = values?.[position]
    if (value === undefined) {
      const parsed = parseJson(bytes)
      if ('flaw' in parsed) return { elements, flaw: `its record ${index + 1} ${parsed.flaw}` }
      value = parsed.value
    }
    elements.push({ index, bytes, value })
  }
  return { elements, flaw: null }
}

/** All at once, which is faster than one by one; null where something in the slice is no JSON. */
function parseAll(slice: RecordsChunk): JsonValue[] | null {
  const parsed = parseJson(slice.bytes)
  if ('flaw' in parsed || !Array.isArray(parsed.value)) return null
  return parsed.value.length === slice.starts.length ? parsed.value : null
}

function parseJson(bytes: Uint8Array): { value: JsonValue } | { flaw: string } {
  try {
    return { value: parseLossless(decodeJson(bytes)) }
  } catch (error) {
    if (error instanceof MalformedJsonError) return { flaw: 'is no UTF-8' }
    if (error instanceof SyntaxError) return { flaw: `is no JSON (${error.message})` }
    throw error
  }
}
