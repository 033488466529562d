import type { JsonValue } from '@recordhub/protocol/lossless-json'
import { HubError } from '../../errors.ts'
import {
  JsonArrayScanner,
  MalformedJsonError,
  NotAnArrayError,
} from '../../lib/json/json-array-scanner.ts'
import { findReportedFailure } from '../request/error-message.ts'
import { findPhpMessage } from '../request/not-json.ts'
import { toBodyError } from '../request/request-error.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import { type RecordsChunk, readElements } from './records-chunk.ts'
import { describeContentType, totalOf } from './records-envelope.ts'

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
