/** Writes spreadsheets (XLSX) as a stream, in constant memory. */
import { PassThrough, pipeline, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { JsonValue } from '@recordhub/protocol/lossless-json'
import { headerRow, type SheetColumn, STYLE_SHEET, sheetRow, widthOf } from './xlsx-sheet.ts'

const MAX_ROWS = 1_048_576
export const MAX_XLSX_COLUMNS = 16_384

/**
 * A workbook of rows below a header, on as many sheets as needed. Reads rows on demand, and stops if the stream is
 * destroyed.
 */
export function xlsxStream(
  columns: readonly SheetColumn[],
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
    /** The areas of the sheets. */
    const areas: Area[] = []
    do {
      const area = { columns: columns.length, rows: 1 }
      areas.push(area)
      sheet = Readable.from(writeSheet(columns, rows, maxRows, area), { objectMode: false })
      zip.addReadStream(sheet, `xl/worksheets/sheet${areas.length}.xml`)
      await finished(sheet)
    } while (await rows.hasMore())
    for (const [path, text] of workbookFiles(areas)) zip.addBuffer(Buffer.from(text), path)
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

  /** The next rows, which stay in the queue: those of the current chunk. */
  get next(): readonly JsonValue[][] {
    return this.#chunk.slice(this.#at)
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

/** The size of the table of a sheet, with its header. */
type Area = { columns: number; rows: number }

/** Writes a sheet, and counts its rows in `area`. */
async function* writeSheet(
  columns: readonly SheetColumn[],
  rows: RowQueue,
  maxRows: number,
  area: Area,
): AsyncGenerator<Buffer> {
  await rows.hasMore()
  const first = rows.next
  const widths = columns.map((column, index) => {
    const width = widthOf(
      column,
      first.map((cells) => cells[index] ?? null),
    )
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  })
  const cols = widths.length > 0 ? `<cols>${widths.join('')}</cols>` : ''
  yield Buffer.from(
    `${XML}<worksheet xmlns="${MAIN}">${FROZEN_HEADER}${cols}<sheetData>${headerRow(columns)}`,
  )
  while (area.rows < maxRows && (await rows.hasMore())) {
    const taken = rows.take(maxRows - area.rows)
    const texts = taken.map((cells, index) => sheetRow(area.rows + 1 + index, cells, columns))
    yield Buffer.from(texts.join(''))
    area.rows += taken.length
  }
  const filter = area.columns > 0 ? `<autoFilter ref="A1:${cornerOf(area, '')}"/>` : ''
  yield Buffer.from(`</sheetData>${filter}</worksheet>`)
}

const FROZEN_HEADER =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'

/** The last cell of an area: `C12`, or `$C$12`. */
function cornerOf({ columns, rows }: Area, mark: '' | '$'): string {
  let letters = ''
  for (let rest = columns; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  }
  return `${mark}${letters}${mark}${rows}`
}

function workbookFiles(areas: readonly Area[]): [path: string, text: string][] {
  const sheets = areas.map((_, index) => index + 1)
  const each = (write: (n: number) => string) => sheets.map(write).join('')
  const nameOf = (n: number) => `Records${n > 1 ? ` ${n}` : ''}`
  // Spreadsheets store the area of a filter under this name too.
  const filters = areas
    .map(
      (area, index) =>
        `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${nameOf(index + 1)}'!$A$1:${cornerOf(area, '$')}</definedName>`,
    )
    .join('')
  const names = areas.some(({ columns }) => columns > 0)
    ? `<definedNames>${filters}</definedNames>`
    : ''
  return [
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${each(
        (n) => `<sheet name="${nameOf(n)}" sheetId="${n}" r:id="rId${n}"/>`,
      )}</sheets>${names}</workbook>`,
    ],
    ['xl/styles.xml', `${XML}<styleSheet xmlns="${MAIN}">${STYLE_SHEET}</styleSheet>`],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each(
        (n) =>
          `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
      )}<Relationship Id="styles" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${each(
        (n) =>
          `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
      )}</Types>`,
    ],
  ]
}
