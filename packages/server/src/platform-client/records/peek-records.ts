import { HubError } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/lossless-json.ts'
import { findReportedFailure } from '../request/request-error.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import { parseElements } from './records-chunk.ts'
import { totalOf } from './records-envelope.ts'
import { openRecordsStream } from './records-stream.ts'

/** The beginning of a records response: its first element (undefined for an empty list) and the total before it. */
export type RecordsPeek = { first: JsonValue | undefined; total: number | null; path: string }

/**
 * Reads until the first elements have come, and closes the connection.
 * @throws HubError where what came is not as agreed.
 */
export async function peekRecords(answer: PlatformResponse): Promise<RecordsPeek> {
  const stream = openRecordsStream(answer)
  let first: JsonValue | undefined
  for await (const slice of stream.chunks()) {
    if (slice.starts.length === 0) continue
    const { elements, flaw } = parseElements(slice, [0])
    if (flaw !== null)
      throw new HubError('platform_answer_invalid', { path: stream.path, reason: flaw })
    first = elements[0]?.value
    break
  }
  const failure = findReportedFailure(stream.envelope(), stream)
  if (failure) throw failure
  return { first, total: totalOf(stream.envelope()), path: stream.path }
}
