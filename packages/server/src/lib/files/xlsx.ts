/** Writes spreadsheets (XLSX) as a stream, in constant memory. */
import { PassThrough, pipeline, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { parseTimeSpan } from '@recordhub/protocol/field-filter'
import {
  type JsonValue,
  significantDigits,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'

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

type SheetColumn = {
  header: string
  /** Whether texts that are times are written as times. */
  holdsTimes: boolean
}

/** A row of a sheet as XML (ECMA-376, part 1, 18.3), numbered from 1. */
export function sheetRow(
  number: number,
  cells: readonly JsonValue[],
  columns: readonly SheetColumn[],
): string {
  const written = cells.map((value, index) => sheetCell(value, columns[index]?.holdsTimes ?? false))
  return `<row r="${number}">${written.join('')}</row>`
}

function headerRow(columns: readonly SheetColumn[]): string {
  return `<row r="1">${columns.map(({ header }) => textCell(header, STYLES.header)).join('')}</row>`
}

/** The numbers of the formats in {@link STYLE_SHEET}. */
const STYLES = { header: 1, day: 2, time: 3 }

const XF = (font: number, format: number) =>
  `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1"/>`
const FONT = '<sz val="11"/><name val="Calibri"/>'

/** The formats of cells, in the order of their numbers. */
const STYLE_SHEET =
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/></numFmts>' +
  `<fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="4">${XF(0, 0)}${XF(1, 0)}${XF(0, 164)}${XF(0, 165)}</cellXfs>`

const MIN_WIDTH = 8
const MAX_WIDTH = 60

/** The width of a column in characters, such that these cells fit. */
function widthOf({ header, holdsTimes }: SheetColumn, cells: readonly JsonValue[]): number {
  const longest = cells.reduce<number>((width, value) => Math.max(width, lengthOf(value)), 0)
  // A bold header is wider, and has the button of the filter.
  const needed = Math.max(header.length * 1.1 + 3, longest + 1, holdsTimes ? DAY_LENGTH : 0)
  return Math.ceil(Math.min(Math.max(needed, MIN_WIDTH), MAX_WIDTH))
}

function lengthOf(value: JsonValue): number {
  if (value === null) return 0
  return typeof value === 'string' ? value.length : stringifyLossless(value).length
}

const DAY_LENGTH = 11
const DAY_MS = 86_400_000
/** The number of 1970-01-01 in a spreadsheet. */
const EPOCH = 25_569
/** From this day on, all spreadsheets count the same: Excel has a 29 February 1900. */
const FIRST_DAY = 61
/** Times of which a spreadsheet would show something else: with leap seconds, or more than milliseconds. */
const INEXACT = /:60|\.\d{3}\d*[1-9]/

/** A time as a number of days in UTC; null for a text that is no time, or that a number would not preserve. */
function timeCell(text: string): string | null {
  const span = parseTimeSpan(text)
  if (span === null || INEXACT.test(text)) return null
  const days = Number(span.from / 1_000_000n) / DAY_MS + EPOCH
  if (days < FIRST_DAY) return null
  const style = text.length < DAY_LENGTH ? STYLES.day : STYLES.time
  return `<c s="${style}"><v>${Number(days.toFixed(9))}</v></c>`
}

function sheetCell(value: JsonValue, holdsTimes: boolean): string {
  if (value === null || value === '') return '<c/>'
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`
  if (typeof value === 'string') return (holdsTimes ? timeCell(value) : null) ?? textCell(value)
  const text = stringifyLossless(value)
  const isNumber = typeof value === 'number' || JSON.isRawJSON(value)
  return isNumber && isShownExactly(text) ? `<c><v>${text}</v></c>` : textCell(text)
}

const MAX_CHARACTERS = 32_767
/** Older records have longer numbers than the hub accepts today. */
const MAX_NUMBER_LENGTH = 400
const TRUNCATED = ' … [truncated: a cell holds 32,767 characters]'

function textCell(text: string, style = 0): string {
  const isLong = text.length > MAX_CHARACTERS
  const shown = isLong ? truncate(text, MAX_CHARACTERS - TRUNCATED.length) + TRUNCATED : text
  const attributes = style === 0 ? '' : ` s="${style}"`
  return `<c${attributes} t="inlineStr"><is><t xml:space="preserve">${escapeXml(shown)}</t></is></c>`
}

/** Does not split a surrogate pair. */
function truncate(text: string, length: number): string {
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return text.slice(0, splitsPair ? length - 1 : length)
}

/** Spreadsheets store 15 digits and replace the others with zeros, so longer numbers are written as text. */
function isShownExactly(token: string): boolean {
  if (token.length > MAX_NUMBER_LENGTH) return false
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e')
  const size = Math.abs(Number(exponent)) + mantissa.length
  return size < 300 && significantDigits(token).length <= 15
}

/** Characters that XML does not allow or that need escapes, and texts that look like an escape. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  /[&<>]|[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)/g

/** A lone surrogate becomes U+FFFD: LibreOffice would discard the rest of the cell after its escape. */
function escapeXml(text: string): string {
  return text.toWellFormed().replace(UNSAFE, (character) => {
    if (character === '&') return '&amp;'
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `_x${code}_`
  })
}
