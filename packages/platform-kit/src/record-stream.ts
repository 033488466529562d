import { findDataFault } from './json-fault.ts'
import type { PlatformRecord, Records } from './platform.ts'

const CHUNK_CHARACTERS = 32_768

export type RecordStreamOptions = {
  /** The members beside `records`; the number of records is added where it has no `total`. */
  head: Readonly<Record<string, unknown>>
  /** False where the number of these records is not that of all. */
  isWhole: boolean
  /** Ends the reading. */
  stop: AbortController
  /** Told why the stream broke off, unless whoever read it went away. */
  onError: (error: unknown) => void
}

/**
 * An object of JSON with the records, written as it is read: one chunk at a time is in memory, and none is
 * made before it is asked for. Where reading fails later, the stream breaks off, so that nobody takes a
 * part for the whole.
 * @throws whatever reading the first chunk throws.
 */
export async function streamRecords(
  records: Records,
  { head, isWhole, stop, onError }: RecordStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder()
  const texts = writeRecords(records, head, isWhole, stop.signal)
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
  head: Readonly<Record<string, unknown>>,
  isWhole: boolean,
  signal: AbortSignal,
): AsyncGenerator<string, undefined, undefined> {
  let text = `${JSON.stringify(head).slice(0, -1)},"records":[`
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
  yield `${text}]${isWhole ? `,"total":${count}` : ''}}`
  return undefined
}

/** What is JSON goes as it is: the hub judges record by record, and shows its operator what is wrong. */
function writeRecord(record: PlatformRecord, index: number): string {
  const fault = findRecordFault(record)
  if (fault !== null) throw new TypeError(`Record ${index + 1}${fault}.`)
  const { reference_number, full_name, data } = record
  return JSON.stringify({ reference_number, full_name, data })
}

/** The end of a sentence that begins with the record's number; null where it can be written. */
function findRecordFault(record: PlatformRecord): string | null {
  if (typeof record !== 'object' || record === null) return ' is no object'
  const { reference_number, full_name, data } = record
  for (const [name, text] of Object.entries({ reference_number, full_name })) {
    if (typeof text === 'bigint') return ` cannot be served: ${name} is a BigInt: make it a text`
  }
  const fault = findDataFault(data, 'absent')
  return fault === null ? null : ` (${String(reference_number)}) cannot be served: ${fault}`
}
