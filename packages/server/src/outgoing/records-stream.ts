import { HubError } from '../errors.ts'
import {
  ArrayMemberScanner,
  BrokenDocument,
  decodeJson,
  type ElementSlice,
  elementBytes,
} from '../lib/array-member-scanner.ts'
import { type JsonValue, parseExact } from '../lib/exact-json.ts'
import type { PlatformAnswer } from './call-platform.ts'
import { toOutgoingError } from './outgoing-error.ts'

const MAX_ELEMENT_BYTES = 16 * 1024 * 1024
const MAX_ENVELOPE_BYTES = 1024 * 1024

/** One element of `records`: its place, its bytes as they came, and what they say. */
export type RecordElement = { index: number; bytes: Uint8Array; value: JsonValue }

/** Elements that came together; `tooLarge` are the places of elements left out for their size. */
export type RecordsSlice = { elements: RecordElement[]; tooLarge: readonly number[] }

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

  async function* slices(): AsyncGenerator<RecordsSlice> {
    try {
      for await (const chunk of body) yield* scanner.push(chunk).map(parseSlice)
      envelope = scanner.end()
      if (!scanner.head) throw new BrokenDocument('it has no list "records"')
    } catch (error) {
      throw toReadError(error, path)
    }
  }
  return { path, contentType, slices, envelope: () => envelope ?? scanner.head ?? {} }
}

function parseSlice(slice: ElementSlice): RecordsSlice {
  const values = parseExact(decodeJson(slice.bytes))
  if (!Array.isArray(values) || values.length !== slice.starts.length) {
    throw new BrokenDocument('it is no valid JSON')
  }
  const elements = values.map((value, position) => ({
    index: slice.firstIndex + position,
    bytes: elementBytes(slice, position),
    value,
  }))
  return { elements, tooLarge: slice.tooLarge }
}

function toReadError(error: unknown, path: string): HubError {
  if (error instanceof BrokenDocument || error instanceof SyntaxError) {
    const reason = error instanceof SyntaxError ? 'it is no valid JSON' : error.message
    return new HubError('platform_answer_invalid', { path, reason }, { cause: error })
  }
  return toOutgoingError(error)
}
