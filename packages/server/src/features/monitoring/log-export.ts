/** Exports of the logs as files, which are read page by page. */
import { Readable } from 'node:stream'
import { OneOf } from '@recordhub/protocol'
import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { csvLine, escapeFormula } from '../../lib/files/csv.ts'
import { NDJSON_TYPE, toJsonLine } from '../../lib/net/ndjson.ts'

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: `${NDJSON_TYPE}; charset=utf-8`,
} as const

/** The number of entries that are read at once. */
export const EXPORT_PAGE = 500

/** The format of an exported log. */
export const LogFormat = OneOf('csv', 'ndjson')
type LogFormat = Static<typeof LogFormat>

/** The response of an export, for the description of the API. */
export const ExportedLog = {
  description: 'The file, named by Content-Disposition',
  content: Object.fromEntries(
    Object.values(TYPES).map((type) => [
      type,
      { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
    ]),
  ),
}

/**
 * Sends a log as a file to download.
 * @param log `name`: the beginning of the file's name. `columns`: those of the CSV file, which are members of an entry.
 */
export function sendLog<Column extends string, Entry extends Record<Column, unknown>>(
  reply: FastifyReply,
  log: {
    name: string
    at: Date
    format: LogFormat
    columns: readonly Column[]
    pages: AsyncIterable<Entry[]>
  },
) {
  const file = `${log.name}-${log.at.toISOString().slice(0, 10)}.${log.format}`
  reply.header('Content-Disposition', `attachment; filename="${file}"`)
  reply.header('Cache-Control', 'no-store').type(TYPES[log.format])
  return reply.send(Readable.from(writeLog(log)))
}

/** The text of the file, in one part per page. */
export async function* writeLog<Column extends string, Entry extends Record<Column, unknown>>(log: {
  format: LogFormat
  columns: readonly Column[]
  pages: AsyncIterable<Entry[]>
}): AsyncGenerator<string> {
  const { format, columns, pages } = log
  if (format === 'csv') yield csvLine(columns)
  const write =
    format === 'csv'
      ? (entry: Entry) => csvLine(columns.map((column) => escapeFormula(toCell(entry[column]))))
      : toJsonLine
  // An empty part of a page without entries: a reader that has gone stops the export here.
  for await (const page of pages) yield page.map(write).join('')
}

function toCell(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}
