/** Writes spreadsheets (XLSX) as a stream, in constant memory. */
import { PassThrough, pipeline, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { JsonValue } from '@recordhub/protocol/lossless-json'
import { sheetRow } from './xlsx-sheet.ts'

const MAX_ROWS = 1_048_576
export const MAX_XLSX_COLUMNS = 16_384

/**
 * A workbook of rows below a header, on as many sheets as needed. Reads rows on demand, and stops if the stream is
 * destroyed.
 */
export function xlsxStream(
  header: string[],
  chunks: AsyncGenerator<JsonValue[][]>,
  maxRows: number = MAX_ROWS,
): Readable {
  const output = new PassThrough()
  const rows = new RowQueue(chunks)
  let sheet = Readable.from([])
  const fail = (error: Error) => void output.destroy(error)
  output.once('close', () => {
    sheet.destroy()
    void rows.end()
  })
  const write = async () => {
    const { ZipFile } = await import('yazl')
    if (output.destroyed) return
    const zip = new ZipFile()
    zip.on('error', fail)
    pipeline(zip.outputStream, output, () => undefined)
    let count = 0
    do {
      count += 1
      sheet = Readable.from(writeSheet(header, rows, maxRows), { objectMode: false })
      zip.addReadStream(sheet, `xl/worksheets/sheet${count}.xml`)
      await finished(sheet)
    } while (await rows.hasMore())
    for (const [path, text] of workbookFiles(count)) zip.addBuffer(Buffer.from(text), path)
    zip.end()
  }
  write().catch(fail)
  return output
}

/** A queue of rows, filled from chunks. */
class RowQueue {
  readonly #chunks: AsyncGenerator<JsonValue[][]>
  #chunk: JsonValue[][] = []
  #at = 0

  constructor(chunks: AsyncGenerator<JsonValue[][]>) {
    this.#chunks = chunks
  }

  async hasMore(): Promise<boolean> {
    while (this.#at >= this.#chunk.length) {
      const next = await this.#chunks.next()
      if (next.done) return false
      this.#chunk = next.value
      this.#at = 0
    }
    return true
  }

  /** Up to `count` rows of the current chunk. */
  take(count: number): JsonValue[][] {
    const taken = this.#chunk.slice(this.#at, this.#at + count)
    this.#at += taken.length
    return taken
  }

  async end(): Promise<void> {
    await this.#chunks.return(undefined)
  }
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

async function* writeSheet(
  header: string[],
  rows: RowQueue,
  maxRows: number,
): AsyncGenerator<Buffer> {
  const begin = `${XML}<worksheet xmlns="${MAIN}"><sheetData>${sheetRow(1, header)}`
  yield Buffer.from(begin)
  let number = 1
  while (number < maxRows && (await rows.hasMore())) {
    const taken = rows.take(maxRows - number)
    yield Buffer.from(taken.map((cells, index) => sheetRow(number + 1 + index, cells)).join(''))
    number += taken.length
  }
  yield Buffer.from('</sheetData></worksheet>')
}

function workbookFiles(count: number): [path: string, text: string][] {
  const sheets = Array.from({ length: count }, (_, index) => index + 1)
  const each = (write: (n: number) => string) => sheets.map(write).join('')
  return [
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${each(
        (n) => `<sheet name="Records${n > 1 ? ` ${n}` : ''}" sheetId="${n}" r:id="rId${n}"/>`,
      )}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each(
        (n) =>
          `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
      )}</Relationships>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>${each(
        (n) =>
          `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
      )}</Types>`,
    ],
  ]
}
