import type { JsonValue } from '@recordhub/protocol/lossless-json'
import { HubError } from '../../errors.ts'
import { findReportedFailure } from '../request/request-error.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import { parseElements } from './records-chunk.ts'
import { totalOf } from './records-envelope.ts'
import { openRecordsStream } from './records-stream.ts'

/** The beginning of a records response: its first element (undefined for an empty list) and the `total` before it. */
export type RecordsPeek = { first: JsonValue | undefined; total: number | null; path: string }

/**
 * Reads a records response up to its first elements, and closes the connection.
 * @throws HubError when the response is invalid.
 */
export async function peekRecords(response: PlatformResponse): Promise<RecordsPeek> {
  const stream = openRecordsStream(response)
  let first: JsonValue | undefined
  for await (const chunk of stream.chunks()) {
    if (chunk.starts.length === 0) continue
    const { elements, error } = parseElements(chunk, [0])
    if (error !== null)
      throw new HubError('platform_answer_invalid', { path: stream.path, reason: error })
    first = elements[0]?.value
    break
  }
  const failure = findReportedFailure(stream.envelope(), stream)
  if (failure) throw failure
  return { first, total: totalOf(stream.envelope()), path: stream.path }
}
