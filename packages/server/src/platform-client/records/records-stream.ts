import type { JsonValue } from '@recordhub/protocol/lossless-json'
import { HubError } from '../../errors.ts'
import {
  JsonArrayScanner,
  MalformedJsonError,
  NotAnArrayError,
} from '../../lib/json/json-array-scanner.ts'
import { findReportedFailure, quoteRedacted } from '../request/error-message.ts'
import { findPhpMessage } from '../request/not-json.ts'
import { toBodyError } from '../request/request-error.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import { type RecordsChunk, readElements } from './records-chunk.ts'

const MAX_ELEMENT_BYTES = 16 * 1024 * 1024
const MAX_ENVELOPE_BYTES = 1024 * 1024
/** PHP writes a list with gaps between its keys as an object. */
const LIST_ADVICE =
  ' but an object with keys. PHP: after array_filter or unset, json_encode writes an object; return array_values($records)'
/** The end of what was received is searched for a message of PHP, which explains why it is not JSON. */
const RECENT_BYTES = 2048
/** The records of a slow response are returned after this time, although they do not fill a chunk. */
const MAX_BUFFERED_MS = 1000

/** A records response (specification 2.5) that is being read. */
export type RecordsStream = {
  path: string
  /** The key of the request, which the response may quote. */
  key: string
  contentType: string
  /**
   * The elements in their order. At most one chunk is read ahead of the consumer.
   * @throws HubError when the connection is lost or the response is invalid. The chunks before it remain valid.
   */
  chunks: () => AsyncGenerator<RecordsChunk>
  /** Must be called for each chunk when neither it nor the bytes of its elements are needed any more. */
  release: (chunk: RecordsChunk) => void
  /** The members outside of `records` that have been read; all of them after the last chunk. */
  envelope: () => Readonly<Record<string, unknown>>
}

export function openRecordsStream(response: PlatformResponse): RecordsStream {
  const { path, key, contentType, body } = response
  const scanner = new JsonArrayScanner({
    member: 'records',
    maxElementBytes: MAX_ELEMENT_BYTES,
    maxEnvelopeBytes: MAX_ENVELOPE_BYTES,
  })
  let envelope: Readonly<Record<string, unknown>> | null = null

  async function* readChunks(): AsyncGenerator<RecordsChunk> {
    let returnedAt = performance.now()
    let recent = Buffer.alloc(0)
    const explain = (error: unknown) => {
      const php = error instanceof MalformedJsonError ? findPhpMessage(recent.toString()) : null
      return php === null ? error : new MalformedJsonError(php)
    }
    for await (const bytes of body) {
      let complete: RecordsChunk[]
      try {
        complete = scanner.push(bytes)
      } catch (error) {
        recent = Buffer.concat([recent, bytes])
        throw explain(error)
      }
      recent = Buffer.concat([recent, bytes.subarray(-RECENT_BYTES)]).subarray(-RECENT_BYTES)
      const isLate = performance.now() - returnedAt >= MAX_BUFFERED_MS
      if (complete.length === 0 && isLate) complete = scanner.takeFinished()
      yield* complete
      if (complete.length > 0) returnedAt = performance.now()
    }
    try {
      envelope = scanner.end()
    } catch (error) {
      throw explain(error)
    }
    if (scanner.head) return
    const { records } = envelope
    throw (
      findReportedFailure(envelope, response) ??
      (records instanceof Object
        ? new NotAnArrayError('"records" is not a list')
        : new MalformedJsonError('it has no list "records"'))
    )
  }

  async function* chunks(): AsyncGenerator<RecordsChunk> {
    try {
      yield* readChunks()
    } catch (error) {
      const readError = toReadError(error, path)
      // The elements that arrived completely before the error are valid.
      yield* scanner.takeRest()
      throw readError
    }
  }
  return {
    path,
    key,
    contentType,
    chunks,
    release: (chunk) => scanner.release(chunk),
    envelope: () => envelope ?? scanner.head ?? {},
  }
}

function toReadError(error: unknown, path: string): HubError {
  if (error instanceof MalformedJsonError) {
    const advice = error instanceof NotAnArrayError ? LIST_ADVICE : ''
    const params = { path, reason: `${error.message}${advice}` }
    return new HubError('platform_response_invalid', params, { cause: error })
  }
  return toBodyError(error, path)
}

/** The beginning of a records response: its first element (undefined for an empty list) and the `total` before it. */
export type RecordsPeek = {
  first: JsonValue | undefined
  total: number | null
  path: string
  /** About the Content-Type; null without one. */
  warning: string | null
}

/**
 * Reads a records response up to its first elements, and closes the connection.
 * @throws HubError when the response is invalid.
 */
export async function peekRecords(response: PlatformResponse): Promise<RecordsPeek> {
  const stream = openRecordsStream(response)
  let first: JsonValue | undefined
  for await (const chunk of stream.chunks()) {
    if (chunk.starts.length === 0) continue
    const { elements, error } = readElements(chunk, [0])
    if (error !== null)
      throw new HubError('platform_response_invalid', { path: stream.path, reason: error })
    first = elements[0]?.value
    break
  }
  const failure = findReportedFailure(stream.envelope(), stream)
  if (failure) throw failure
  const warning = describeContentType(stream)
  return { first, total: totalOf(stream.envelope()), path: stream.path, warning }
}

/** The maximum length of a quoted name or Content-Type of a platform. */
const MAX_QUOTED = 200
const WITHOUT_SUCCESS =
  'Without "success": true, it proves nothing: no record is marked as missing, and the module is not verified.'

/**
 * Checks the members outside of `records`: returns the error when the response reports a failure, or is of another
 * platform or module; null otherwise. Missing members are not an error.
 */
export function findEnvelopeError(
  envelope: Readonly<Record<string, unknown>>,
  expected: { platform_name: string; record_type: string },
  from: { path: string; key: string },
): HubError | null {
  const { platform_name, record_type } = envelope
  const failure = findReportedFailure(envelope, from)
  if (failure) return failure
  if (typeof platform_name === 'string' && platform_name !== expected.platform_name) {
    return new HubError('platform_name_differs', {
      got: quoteRedacted(platform_name, from.key, MAX_QUOTED),
      expected: expected.platform_name,
    })
  }
  if (typeof record_type === 'string' && record_type !== expected.record_type) {
    const got = quoteRedacted(record_type, from.key, MAX_QUOTED)
    const reason = `its record_type is "${got}", not "${expected.record_type}"`
    return new HubError('platform_response_invalid', { path: from.path, reason })
  }
  return null
}

/** The required members of a records response (specification 2.5) that are missing or have an invalid value. */
export function findMissingMembers(envelope: Readonly<Record<string, unknown>>): string[] {
  const { success, platform_name, record_type } = envelope
  const isPresent: [string, boolean][] = [
    ['success', success !== undefined],
    ['platform_name', typeof platform_name === 'string'],
    ['record_type', typeof record_type === 'string'],
    ['total', totalOf(envelope) !== null],
  ]
  return isPresent.flatMap(([member, present]) => (present ? [] : [member]))
}

/** The warning that a response or one of its pages lacks these members; null without any. */
export function describeMissingMembers(members: ReadonlySet<string>): string | null {
  const [first, ...others] = [...members].map((member) => `"${member}"`)
  if (first === undefined) return null
  const [noun, verb] = others.length === 0 ? ['member', 'is'] : ['members', 'are']
  const lacks = `The response lacks the ${noun} ${[first, ...others].join(', ')}, which ${verb} required in a records response.`
  return members.has('success') ? `${lacks} ${WITHOUT_SUCCESS}` : lacks
}

/** The warning about the Content-Type of a JSON response; null if it is right. */
export function describeContentType(response: { contentType: string; key: string }): string | null {
  if (/json/i.test(response.contentType)) return null
  const type = quoteRedacted(response.contentType, response.key, MAX_QUOTED) || 'missing'
  return `The response is JSON, but its Content-Type is ${type}. Send application/json.`
}

/**
 * The `total` of a response; null without a valid one. A total may be a string, since some databases return counts as
 * strings.
 */
export function totalOf({ total }: Readonly<Record<string, unknown>>): number | null {
  const count = typeof total === 'string' && /^\d+$/.test(total) ? Number(total) : total
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}
