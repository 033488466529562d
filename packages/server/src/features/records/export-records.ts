/** Writes records to a file format, as a stream that reads records on demand. */
import { Readable } from 'node:stream'
import type { Module } from '@recordhub/protocol'
import type { JsonValue } from '@recordhub/protocol/lossless-json'
import type { FastifyRequest } from 'fastify'
import {
  cellText,
  chooseColumns,
  createCellReader,
  type RecordColumn,
} from '../../domain/record/record-columns.ts'
import { HubError } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { csvLine, escapeFormula } from '../../lib/files/csv.ts'
import { MAX_XLSX_COLUMNS, xlsxStream } from '../../lib/files/xlsx.ts'
import { NDJSON_TYPE } from '../../lib/net/ndjson.ts'
import type { Span, Tracer } from '../../lib/tracing/tracer.ts'
import type {
  ListScope,
  Position,
  RecordRow,
  RecordStore,
} from '../../storage/port/record-store.ts'
import type { ResolvedList } from './list-query.ts'
import { SCAN_MS } from './list-records.ts'

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
function asStream(texts: AsyncGenerator<Iterable<string>>): Readable {
  return Readable.from(asBytes(texts), { objectMode: false })
}

/**
 * The minimum number of characters that are encoded together. A string of 128 KiB or more that is in use during one
 * collection of the young generation stays until a full collection.
 */
const ENCODED_LENGTH = 32 * 1024

async function* asBytes(chunks: AsyncGenerator<Iterable<string>>): AsyncGenerator<Buffer> {
  for await (const texts of chunks) {
    let waiting = ''
    for (const text of texts) {
      if (waiting.length >= ENCODED_LENGTH) {
        yield Buffer.from(waiting)
        waiting = ''
      }
      waiting += text
    }
    // Also after a chunk without records: a stream whose reader has left ends here.
    yield Buffer.from(waiting)
  }
}

async function* writeCsv(
  chunks: Chunks,
  columns: RecordColumn[],
  { raw, bom }: Pick<ExportOptions, 'raw' | 'bom'>,
): AsyncGenerator<Iterable<string>> {
  const guard = raw ? (text: string) => text : escapeFormula
  const head = csvLine(columns.map((column) => guard(column.header)))
  yield [bom ? `\ufeff${head}` : head]
  for await (const rows of readCells(chunks, columns)) {
    yield rows.values().map((cells) => csvLine(cells.map((value) => guard(cellText(value)))))
  }
}

async function* readCells(chunks: Chunks, columns: RecordColumn[]): AsyncGenerator<JsonValue[][]> {
  const readRow = createCellReader(columns)
  for await (const rows of chunks) yield rows.map(readRow)
}

async function* writeLines(chunks: Chunks): AsyncGenerator<Iterable<string>> {
  for await (const rows of chunks) yield rows.values().map((row) => `${recordText(row)}\n`)
}

/** A truncated document is invalid JSON, so that a client notices the interruption. */
async function* writeJson(chunks: Chunks): AsyncGenerator<Iterable<string>> {
  yield ['{"success":true,"records":[']
  let separator = ''
  const toText = (row: RecordRow) => {
    const text = separator + recordText(row)
    separator = ','
    return text
  }
  for await (const rows of chunks) yield rows.values().map(toText)
  yield [']}\n']
}

/** Returns a record as the API shows it, without parsing its data. */
function recordText({ data, change_seq: _, ...row }: RecordRow): string {
  const { incomplete, missing_since, missing_reason, created_at, updated_at, ...names } = row
  const head = JSON.stringify(names).slice(0, -1)
  const status = { incomplete, missing_since, missing_reason, created_at, updated_at }
  const tail = JSON.stringify(status).slice(1)
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

/** Target size of a chunk. Reading one blocks the event loop, so it must be small even if records are large. */
const CHUNK_BYTES = 256 * 1024
const FIRST_LIMIT = 16
const MAX_LIMIT = 500
/** The first chunk shows that the query is fast enough; later ones get more time, in case the machine is busy. */
const LATER_SCAN_MS = 15 * SCAN_MS

/**
 * Reads all records of a query on demand, in chunks of about 256 KiB. A chunk is empty if the time limit of a scan ends
 * before the next record is found. A record whose position in the order does not change meanwhile is returned once.
 * @throws HubError `sort_too_slow`, usually with the first chunk; `list_changed` if the scope no longer holds.
 */
export async function* streamRecords(
  records: Pick<RecordStore, 'listRecords'>,
  { query, scope }: ResolvedList<ListScope>,
): AsyncGenerator<RecordRow[]> {
  let limit = FIRST_LIMIT
  let after: Position | null = null
  for (;;) {
    const scan_ms = after === null ? SCAN_MS : LATER_SCAN_MS
    const page = await records.listRecords({
      ...{ ...query, scope, limit, after },
      ...{ backwards: false, scan_ms },
    })
    if (page.outcome === 'too_slow') throw new HubError('sort_too_slow', { sort: query.sort })
    if (page.outcome === 'changed') throw new HubError('list_changed')
    yield page.records
    if (!page.has_more) return
    after = page.stopped_at ?? page.last
    limit = nextLimit(page.records, limit)
    await yieldToEventLoop()
  }
}

/** Reads the first chunk at once, so that an invalid query fails before the response begins. */
export async function readFirstChunk(
  chunks: AsyncGenerator<RecordRow[]>,
): Promise<AsyncGenerator<RecordRow[]>> {
  const first = await chunks.next()
  return prependChunk(first, chunks)
}

async function* prependChunk(
  first: IteratorResult<RecordRow[], void>,
  rest: AsyncGenerator<RecordRow[]>,
): AsyncGenerator<RecordRow[]> {
  if (first.done) return
  yield first.value
  yield* rest
}

function nextLimit(rows: RecordRow[], limit: number): number {
  const bytes = rows.reduce((sum, row) => sum + row.data.length, 1)
  const fitting = rows.length === 0 ? limit : Math.floor((CHUNK_BYTES * rows.length) / bytes)
  return Math.max(1, Math.min(fitting, limit * 4, MAX_LIMIT))
}

/** The query string may contain data of records, so it is not an attribute. */
export function startExportSpan(
  tracer: Tracer,
  { headers, method, id, routeOptions }: FastifyRequest,
  format: string,
): Span | null {
  const route = routeOptions.url ?? ''
  return tracer.startSpan(`${method} ${route}`, {
    isServer: true,
    traceparent: headers['traceparent'],
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'recordhub.request_id': id,
      'recordhub.export_format': format,
    },
  })
}

/**
 * Yields the chunks of an export, and ends its span after the last one. `read` is the time to read a chunk, `write` the
 * time until the next one is requested: formatting it, and waiting for the client.
 */
export async function* traceChunks<Row>(
  chunks: AsyncGenerator<Row[]>,
  span: Span,
): AsyncGenerator<Row[]> {
  let records = 0
  let error: string | undefined = 'cancelled'
  let begun = performance.now()
  try {
    for await (const chunk of chunks) {
      const read = performance.now()
      span.addChild('read', begun, read, { 'recordhub.records': chunk.length })
      records += chunk.length
      yield chunk
      begun = performance.now()
      span.addChild('write', read, begun)
    }
    error = undefined
  } catch (thrown) {
    error = thrown instanceof HubError ? thrown.code : 'internal_error'
    throw thrown
  } finally {
    span.setAttributes({ 'recordhub.records': records })
    span.end(error)
  }
}
