import { HubError } from '../errors.ts'
import { ArrayMemberScanner, BrokenDocument, decodeJson } from '../lib/array-member-scanner.ts'
import { type ElementSlice, elementBytes } from '../lib/element-slice.ts'
import { type JsonValue, parseExact } from '../lib/exact-json.ts'
import type { PlatformAnswer } from './call-platform.ts'
import { findReportedFailure, toBodyError } from './outgoing-error.ts'

const MAX_ELEMENT_BYTES = 16 * 1024 * 1024
const MAX_ENVELOPE_BYTES = 1024 * 1024

/** One element of `records`: its place, its bytes as they came, and what they say. */
export type RecordElement = { index: number; bytes: Uint8Array; value: JsonValue }

/** Elements that came together; `tooLarge` are the places of elements left out for their size. */
export type RecordsSlice = {
  elements: RecordElement[]
  tooLarge: readonly number[]
  /** How large it was as it came. */
  bytes: number
}

/** A records answer (specification 2.5) on its way in. */
export type RecordsStream = {
  path: string
  contentType: string
  /**
   * The elements in their order. Nothing is read ahead of the consumer but a slice.
   * @throws HubError where the platform breaks off or what came is not as agreed. What was handed out
   *   before stays true.
   */
  slices: () => AsyncGenerator<RecordsSlice>
  /** The members outside of `records` that are known so far; all of them after the last slice. */
  envelope: () => Readonly<Record<string, unknown>>
}

export function openRecordsStream(answer: PlatformAnswer): RecordsStream {
  const { path, contentType, body } = answer
  const scanner = new ArrayMemberScanner({
    member: 'records',
    maxElementBytes: MAX_ELEMENT_BYTES,
    maxEnvelopeBytes: MAX_ENVELOPE_BYTES,
  })
  let envelope: Readonly<Record<string, unknown>> | null = null

  async function* readSlices(): AsyncGenerator<RecordsSlice> {
    for await (const chunk of body) {
      for (const slice of scanner.push(chunk)) yield* parseSlice(slice)
    }
    envelope = scanner.end()
    if (scanner.head) return
    throw findReportedFailure(envelope, path) ?? new BrokenDocument('it has no list "records"')
  }

  async function* slices(): AsyncGenerator<RecordsSlice> {
    try {
      yield* readSlices()
    } catch (error) {
      const broken = toReadError(error, path)
      // What came whole before the break is as good as if nothing had broken.
      for (const slice of scanner.takeRest()) yield* parseRest(slice)
      throw broken
    }
  }
  return { path, contentType, slices, envelope: () => envelope ?? scanner.head ?? {} }
}

function* parseSlice(slice: ElementSlice): Generator<RecordsSlice> {
  const values = parseValues(slice)
  if (values === null) {
    yield* parseRest(slice)
    throw findFlaw(slice)
  }
  const elements = values.map((value, position) => toElement(slice, position, value))
  yield { elements, tooLarge: slice.tooLarge, bytes: slice.bytes.byteLength }
}

/** The elements of a slice up to the first that is no JSON. */
function* parseRest(slice: ElementSlice): Generator<RecordsSlice> {
  const elements: RecordElement[] = []
  for (const position of slice.starts.keys()) {
    const value = parseJson(elementBytes(slice, position))
    if (value === undefined) break
    elements.push(toElement(slice, position, value))
  }
  yield { elements, tooLarge: slice.tooLarge, bytes: slice.bytes.byteLength }
}

function toElement(slice: ElementSlice, position: number, value: JsonValue): RecordElement {
  return { index: slice.firstIndex + position, bytes: elementBytes(slice, position), value }
}

/** All at once, which is faster than one by one; null where something in the slice is no JSON. */
function parseValues(slice: ElementSlice): JsonValue[] | null {
  const values = parseJson(slice.bytes)
  return Array.isArray(values) && values.length === slice.starts.length ? values : null
}

/** What is wrong with the first element of a slice that cannot be read. */
function findFlaw(slice: ElementSlice): BrokenDocument {
  for (const position of slice.starts.keys()) {
    const where = `its record ${slice.firstIndex + position + 1}`
    try {
      parseExact(decodeJson(elementBytes(slice, position)))
    } catch (error) {
      if (error instanceof BrokenDocument) return new BrokenDocument(`${where} is no UTF-8`)
      const why = error instanceof Error ? error.message : String(error)
      return new BrokenDocument(`${where} is no JSON (${why})`)
    }
  }
  return new BrokenDocument('its records are no JSON')
}

function parseJson(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseExact(decodeJson(bytes))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof BrokenDocument) return undefined
    throw error
  }
}

function toReadError(error: unknown, path: string): HubError {
  if (error instanceof BrokenDocument) {
    const params = { path, reason: error.message }
    return new HubError('platform_answer_invalid', params, { cause: error })
  }
  return toBodyError(error, path)
}
