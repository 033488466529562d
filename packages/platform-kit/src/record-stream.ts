import type { PlatformRecord, Records } from './platform.ts'

const CHUNK_CHARACTERS = 32_768

/**
 * An object of JSON with `head`'s members, the records and their number, written as it is read: only one chunk
 * is in memory. Where reading fails, the stream breaks off, so that nobody takes a part for the whole.
 */
export function streamRecords(
  head: Readonly<Record<string, unknown>>,
  records: Records,
  onEnd: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const texts = writeRecords(head, records)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await texts.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        onEnd(null)
        controller.close()
      } catch (error) {
        onEnd(error)
        controller.error(error)
      }
    },
    async cancel() {
      await texts.return(undefined)
      onEnd(null)
    },
  })
}

async function* writeRecords(
  head: Readonly<Record<string, unknown>>,
  records: Records,
): AsyncGenerator<string, void, undefined> {
  let text = `${JSON.stringify(head).slice(0, -1)},"records":[`
  let count = 0
  for await (const record of records) {
    text += (count === 0 ? '' : ',') + writeRecord(record, count)
    count += 1
    if (text.length >= CHUNK_CHARACTERS) {
      yield text
      text = ''
    }
  }
  yield `${text}],"total":${count}}`
}

function writeRecord(record: PlatformRecord, index: number): string {
  const { reference_number, full_name, data } = record
  if (typeof reference_number !== 'string' || reference_number === '') {
    throw new TypeError(`Record ${index + 1} has no reference_number, or one that is no text.`)
  }
  if (typeof full_name !== 'string') {
    throw new TypeError(`The full_name of ${reference_number} is no text.`)
  }
  return JSON.stringify({ reference_number, full_name, data })
}
