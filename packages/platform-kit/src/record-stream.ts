import { readVersion } from '@recordhub/protocol/digest'
import { findDataIssue } from './find-data-issue.ts'
import type { PlatformRecord, Records } from './platform.ts'

const CHUNK_CHARACTERS = 32_768

type RecordStreamOptions = {
  /** The members before `records`. */
  envelope: Readonly<Record<string, unknown>>
  /** Whether these are all records, so that their number is appended as `total`. */
  isComplete: boolean
  /** Aborted when reading must end. */
  stop: AbortController
  /** Called with the error that aborted the stream, unless the client disconnected. */
  onError: (error: unknown) => void
}

/**
 * Streams the records as a JSON object. One chunk at a time is in memory, and the next is read only when the client has
 * consumed it. If reading fails later, the stream is aborted, so that the hub notices that the response is incomplete.
 * @throws the error of the first chunk.
 */
export async function streamRecords(
  records: Records,
  { envelope, isComplete, stop, onError }: RecordStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder()
  const texts = writeRecords(records, envelope, isComplete, stop.signal)
  let next = await texts.next()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (next.done) return controller.close()
        controller.enqueue(encoder.encode(next.value))
        try {
          next = await texts.next()
        } catch (error) {
          if (!stop.signal.aborted) onError(error)
          controller.error(error)
        }
      },
      async cancel() {
        stop.abort()
        await texts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* writeRecords(
  records: Records,
  envelope: Readonly<Record<string, unknown>>,
  isComplete: boolean,
  signal: AbortSignal,
): AsyncGenerator<string, undefined, undefined> {
  let text = `${JSON.stringify(envelope).slice(0, -1)},"records":[`
  let count = 0
  for await (const record of records) {
    signal.throwIfAborted()
    text += (count === 0 ? '' : ',') + writeRecord(record, count)
    count += 1
    if (text.length >= CHUNK_CHARACTERS) {
      yield text
      text = ''
    }
  }
  yield `${text}]${isComplete ? `,"total":${count}` : ''}}`
  return undefined
}

/** Valid JSON is sent unchanged: the hub validates each record and shows the issues to its operators. */
function writeRecord(record: PlatformRecord, index: number): string {
  const issue = findRecordIssue(record)
  if (issue !== null) throw new TypeError(`Record ${index + 1}${issue}.`)
  const { reference_number, full_name, data, version } = record
  const members = hasVersion(record) ? { version } : {}
  return JSON.stringify({ reference_number, full_name, data, ...members })
}

/** Returns why a record cannot be written, without the subject; null if it can. */
function findRecordIssue(record: PlatformRecord): string | null {
  if (typeof record !== 'object' || record === null) return ' is not an object'
  const { reference_number, full_name, data } = record
  for (const [name, text] of Object.entries({ reference_number, full_name })) {
    if (typeof text === 'bigint')
      return ` cannot be served: ${name} is a BigInt: convert it to a string`
  }
  const issue = findVersionIssue(record) ?? findDataIssue(data, 'omitted')
  return issue === null ? null : ` (${String(reference_number)}) cannot be served: ${issue}`
}

/** A column that is null or empty is no version. */
function hasVersion({ version }: PlatformRecord): boolean {
  return version !== undefined && version !== null && version !== ''
}

function findVersionIssue(record: PlatformRecord): string | null {
  if (!hasVersion(record) || readVersion(record.version) !== null) return null
  return 'its version is neither a text of at most 512 bytes nor an integer below 2^53'
}
