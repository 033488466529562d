/** Writes records as a file of some format, as a stream that reads on only as far as it is taken. */
import { Readable } from 'node:stream'
import type { Module } from '@recordhub/protocol'
import type { JsonValue } from '@recordhub/protocol/lossless-json'
import {
  cellText,
  chooseColumns,
  createCellReader,
  type RecordColumn,
} from '../../domain/record/record-columns.ts'
import { HubError } from '../../errors.ts'
import { csvLine, withoutFormula } from '../../lib/files/csv.ts'
import { MAX_XLSX_COLUMNS, xlsxStream } from '../../lib/files/xlsx.ts'
import type { RecordRow } from '../../storage/port/record-store.ts'

export const EXPORT_FORMATS = ['csv', 'xlsx', 'ndjson', 'json'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const EXPORT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ndjson: 'application/x-ndjson',
  json: 'application/json; charset=utf-8',
}

export type ExportOptions = {
  format: ExportFormat
  /** Of tables only, as all that follow; null for all. */
  columns: string[] | null
  header: 'key' | 'label'
  /** Of CSV only: cells are left as they are, formulas too. */
  raw: boolean
  bom: boolean
}

type Chunks = AsyncGenerator<RecordRow[]>

/**
 * @param modules those whose records may come: their fields are the columns.
 * @throws HubError `invalid_request` for more columns than the format has.
 */
export function exportRecords(
  chunks: Chunks,
  modules: Pick<Module, 'fields'>[],
  options: ExportOptions,
): Readable {
  const { format, columns: chosen, header } = options
  if (format === 'json') return asStream(writeJson(chunks))
  if (format === 'ndjson') return asStream(writeLines(chunks))
  const columns = chooseColumns(modules, { chosen, header })
  if (format === 'csv') return asStream(writeCsv(chunks, columns, options))
  if (columns.length > MAX_XLSX_COLUMNS) {
    const reason = `a spreadsheet has ${MAX_XLSX_COLUMNS} columns, and these are ${columns.length}; choose some with columns=`
    throw new HubError('invalid_request', { reason })
  }
  const names = columns.map((column) => column.header)
  return xlsxStream(names, readCells(chunks, columns))
}

/** In bytes, so that what waits to be taken is bounded by its size. */
function asStream(texts: AsyncGenerator<string>): Readable {
  return Readable.from(asBytes(texts), { objectMode: false })
}

async function* asBytes(texts: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) yield Buffer.from(text)
}

async function* writeCsv(
  chunks: Chunks,
  columns: RecordColumn[],
  { raw, bom }: Pick<ExportOptions, 'raw' | 'bom'>,
): AsyncGenerator<string> {
  const guard = raw ? (text: string) => text : withoutFormula
  const head = csvLine(columns.map((column) => guard(column.header)))
  yield bom ? `\ufeff${head}` : head
  const write = (value: JsonValue) => (typeof value === 'string' ? guard(value) : cellText(value))
  for await (const rows of readCells(chunks, columns)) {
    yield rows.map((cells) => csvLine(cells.map(write))).join('')
  }
}

async function* readCells(chunks: Chunks, columns: RecordColumn[]): AsyncGenerator<JsonValue[][]> {
  const readRow = createCellReader(columns)
  for await (const rows of chunks) yield rows.map(readRow)
}

async function* writeLines(chunks: Chunks): AsyncGenerator<string> {
  for await (const rows of chunks) yield rows.map((row) => `${recordText(row)}\n`).join('')
}

/** One document; cut off, it is none. */
async function* writeJson(chunks: Chunks): AsyncGenerator<string> {
  yield '{"success":true,"records":['
  let separator = ''
  for await (const rows of chunks) {
    yield rows.length === 0 ? '' : separator + rows.map(recordText).join(',')
    if (rows.length > 0) separator = ','
  }
  yield ']}\n'
}

/** A stored record as the API shows it; its data is exact JSON text as it is. */
function recordText({ data, change_seq: _, ...row }: RecordRow): string {
  const { incomplete, missing_since, created_at, updated_at, ...names } = row
  const head = JSON.stringify(names).slice(0, -1)
  const tail = JSON.stringify({ incomplete, missing_since, created_at, updated_at }).slice(1)
  return `${head},"data":${data},${tail}`
}
