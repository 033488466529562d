/** Writes records to a file format, as a stream that reads records on demand. */
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
import { csvLine, escapeFormula } from '../../lib/files/csv.ts'
import { MAX_XLSX_COLUMNS, xlsxStream } from '../../lib/files/xlsx.ts'
import { NDJSON_TYPE } from '../../lib/net/ndjson.ts'
import type { RecordRow } from '../../storage/port/record-store.ts'

export const EXPORT_FORMATS = ['csv', 'xlsx', 'ndjson', 'json'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const EXPORT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ndjson: NDJSON_TYPE,
  json: 'application/json; charset=utf-8',
}

export type ExportOptions = {
  format: ExportFormat
  /** For tables, as are the options below; null for all columns. */
  columns: string[] | null
  header: 'key' | 'label'
  /** For CSV: does not escape cells that a spreadsheet would run as formulas. */
  raw: boolean
  bom: boolean
}

type Chunks = AsyncGenerator<RecordRow[]>

/**
 * @param modules the modules of the records; their fields are the columns.
 * @throws HubError `invalid_request` for a column that does not exist, and for more columns than the format allows.
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
    const reason = `a spreadsheet has at most ${MAX_XLSX_COLUMNS} columns, but the export has ${columns.length}; choose some with columns=`
    throw new HubError('invalid_request', { reason })
  }
  return xlsxStream(columns, readCells(chunks, columns))
}

/** A stream of bytes, so that its buffer is limited by size. */
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
  const guard = raw ? (text: string) => text : escapeFormula
  const head = csvLine(columns.map((column) => guard(column.header)))
  yield bom ? `\ufeff${head}` : head
  for await (const rows of readCells(chunks, columns)) {
    yield rows.map((cells) => csvLine(cells.map((value) => guard(cellText(value))))).join('')
  }
}

async function* readCells(chunks: Chunks, columns: RecordColumn[]): AsyncGenerator<JsonValue[][]> {
  const readRow = createCellReader(columns)
  for await (const rows of chunks) yield rows.map(readRow)
}

async function* writeLines(chunks: Chunks): AsyncGenerator<string> {
  for await (const rows of chunks) yield rows.map((row) => `${recordText(row)}\n`).join('')
}

/** A truncated document is invalid JSON, so that a client notices the interruption. */
async function* writeJson(chunks: Chunks): AsyncGenerator<string> {
  yield '{"success":true,"records":['
  let separator = ''
  for await (const rows of chunks) {
    yield rows.length === 0 ? '' : separator + rows.map(recordText).join(',')
    if (rows.length > 0) separator = ','
  }
  yield ']}\n'
}

/** Returns a record as the API shows it, without parsing its data. */
function recordText({ data, change_seq: _, ...row }: RecordRow): string {
  const { incomplete, missing_since, created_at, updated_at, ...names } = row
  const head = JSON.stringify(names).slice(0, -1)
  const tail = JSON.stringify({ incomplete, missing_since, created_at, updated_at }).slice(1)
  return `${head},"data":${data},${tail}`
}

/** Returns the Content-Disposition header of a file (RFC 6266). Its parts may contain any character. */
export function nameExportFile(parts: string[], extension: string): string {
  const name = ['recordhub', ...parts].map(toFileName).join('-')
  const ascii = name.replace(/[^\x20-\x7e]/g, '_')
  const encoded = encodeURIComponent(`${name}.${extension}`).replace(/['()*]/g, percentEncode)
  return `attachment; filename="${ascii}.${extension}"; filename*=UTF-8''${encoded}`
}

/** Retains letters and digits of any script, which are safe in file systems and headers. */
function toFileName(part: string): string {
  return part
    .toWellFormed()
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, '-')
    .slice(0, 60)
    .toWellFormed()
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
