import { HubError } from '../../errors.ts'
import { JsonArrayScanner, MalformedJsonError } from '../../lib/json/json-array-scanner.ts'
import { findReportedFailure, toBodyError } from '../request/request-error.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import type { RecordsChunk } from './records-chunk.ts'

const MAX_ELEMENT_BYTES = 16 * 1024 * 1024
const MAX_ENVELOPE_BYTES = 1024 * 1024
/** Records of a slow response are handed out after this time, although they do not fill a slice. */
const MAX_BUFFERED_MS = 1000

/** A records answer (specification 2.5) on its way in. */
export type RecordsStream = {
  path: string
  /** That it was asked with, and may quote. */
  key: string
  contentType: string
  /**
   * The elements in their order. Nothing is read ahead of the consumer but a slice.
   * @throws HubError where the platform breaks off or what came is not as agreed. What was handed out
   *   before stays true.
   */
  chunks: () => AsyncGenerator<RecordsChunk>
  /** To be called for each slice when it is not needed any more, nor any of its elements' bytes. */
  release: (slice: RecordsChunk) => void
  /** The members outside of `records` that are known so far; all of them after the last slice. */
  envelope: () => Readonly<Record<string, unknown>>
}

export function openRecordsStream(answer: PlatformResponse): RecordsStream {
  const { path, key, contentType, body } = answer
  const scanner = new JsonArrayScanner({
    member: 'records',
    maxElementBytes: MAX_ELEMENT_BYTES,
    maxEnvelopeBytes: MAX_ENVELOPE_BYTES,
  })
  let envelope: Readonly<Record<string, unknown>> | null = null

  async function* readSlices(): AsyncGenerator<RecordsChunk> {
    let handedOutAt = performance.now()
    for await (const chunk of body) {
      let complete = scanner.push(chunk)
      const isLate = performance.now() - handedOutAt >= MAX_BUFFERED_MS
      if (complete.length === 0 && isLate) complete = scanner.takeFinished()
      yield* complete
      if (complete.length > 0) handedOutAt = performance.now()
    }
    envelope = scanner.end()
    if (scanner.head) return
    throw (
      findReportedFailure(envelope, answer) ?? new MalformedJsonError('it has no list "records"')
    )
  }

  async function* slices(): AsyncGenerator<RecordsChunk> {
    try {
      yield* readSlices()
    } catch (error) {
      const broken = toReadError(error, path)
      // What came whole before the break is as good as if nothing had broken.
      yield* scanner.takeRest()
      throw broken
    }
  }
  return {
    path,
    key,
    contentType,
    chunks: slices,
    release: (slice) => scanner.release(slice),
    envelope: () => envelope ?? scanner.head ?? {},
  }
}

function toReadError(error: unknown, path: string): HubError {
  if (error instanceof MalformedJsonError) {
    const params = { path, reason: error.message }
    return new HubError('platform_answer_invalid', params, { cause: error })
  }
  return toBodyError(error, path)
}
