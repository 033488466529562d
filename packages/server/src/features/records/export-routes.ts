import { pipeline, type Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { OneOf, RequestText, StoredRecord } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isFiltered } from '../../domain/record/record-query.ts'
import { HubError } from '../../errors.ts'
import { special } from '../../http/route.ts'
import { acceptsGzip } from '../../lib/net/http.ts'
import type { NamedScope, RecordRow, RecordStore } from '../../storage/port/record-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import {
  EXPORT_FORMATS,
  EXPORT_TYPES,
  type ExportOptions,
  exportRecords,
  nameExportFile,
  readFirstChunk,
  startExportSpan,
  streamRecords,
  traceChunks,
} from './export-records.ts'
import {
  FIELD_FILTERS,
  FilterParameter,
  ListFilters,
  type ResolvedList,
  resolveListQuery,
} from './list-query.ts'

const flag = (description: string) =>
  Type.Optional(
    Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'], description }),
  )

const GZIP_TYPE = 'application/gzip'

const ExportMembers = {
  format: OneOf(...EXPORT_FORMATS),
  columns: Type.Optional(
    Type.Union([RequestText(), Type.Array(RequestText())], {
      description:
        'csv, xlsx: names of hub columns (hub_…), keys of fields in a manifest of the list, paths into such fields, or data.<path>; separated by commas or as repeated parameters. Default: all but paths.',
    }),
  ),
  header: Type.Optional(OneOf('key', 'label')),
  raw: flag('csv: do not escape cells that a spreadsheet would run as formulas'),
  bom: flag('csv: begin with a byte order mark, so that Excel detects UTF-8'),
  gzip: flag('Return a compressed file. XLSX is always compressed.'),
}
type ExportRequest = Type.Static<Type.TObject<typeof ExportMembers>>

const ExportQuery = Type.Object(
  { ...ListFilters, ...ExportMembers },
  { additionalProperties: FilterParameter },
)

const File = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })
const JsonFile = Type.Unsafe<Readable>(
  Type.Object({ success: Type.Literal(true), records: Type.Array(StoredRecord) }),
)

const EXPORTED = {
  description: 'The file, named by Content-Disposition',
  content: {
    ...Object.fromEntries(
      [...Object.values(EXPORT_TYPES), GZIP_TYPE].map((type) => [type, { schema: File }]),
    ),
    [EXPORT_TYPES.json]: { schema: JsonFile },
  },
}

export function exportRoutes(deps: Pick<FeatureDeps, 'records' | 'activity' | 'clock' | 'tracer'>) {
  const { records, activity, clock, tracer } = deps
  return [
    special('GET /api/v1/records/export', {
      summary: 'Export the records of a list as a file',
      description: FIELD_FILTERS,
      query: ExportQuery,
      response: { 200: EXPORTED },
      // A HEAD request would write the whole file. Compression is below, so that it ends with the stream.
      ...{ exposeHeadRoute: false, compress: false },
      async handle(request, reply) {
        const { format, columns, header, raw, bom, gzip, ...parameters } = request.query
        const options = readOptions(request.query)
        const span = tracer && startExportSpan(tracer, request, options.format)
        const list = await resolveListQuery(parameters, (query) => records.readNamedScope(query))
        const isSorted = parameters.sort !== undefined
        const all = isSorted ? streamRecords(records, list) : streamInStableOrder(records, list)
        const chunks = await readFirstChunk(span ? traceChunks(all, span) : all)
        const stream = exportRecords(chunks, list.scope.modules, options)
        const { platform, record_type } = list.query
        await activity.appendAudit({
          ...{ ...request.requester, action: 'records.export', target: platform },
          details: maskSearchTexts(request.query),
        })
        const asGzipFile = gzip === 'true' && options.format !== 'xlsx'
        const day = clock.now().toISOString().slice(0, 10)
        const names = [platform, record_type].filter((name) => name !== null)
        const extension = asGzipFile ? `${options.format}.gz` : options.format
        reply.header('Content-Disposition', nameExportFile([...names, day], extension))
        return sendFile(request, reply, stream, { format: options.format, asGzipFile })
      },
    }),
  ]
}

/** The filters that may contain personal data. */
const PERSONAL_FILTER = /^(?:q|reference_number|filter\[.*)$/s

/** Returns the parameters without the texts of their filters, which would outlive the erasure of a record. */
function maskSearchTexts(query: object): Record<string, unknown> {
  const masked = Object.entries(query).map(([name, value]) => [
    name,
    PERSONAL_FILTER.test(name) ? '…' : value,
  ])
  return Object.fromEntries(masked)
}

/**
 * Reads records in an order that writes do not change: module by module in the order of references. A filtered list
 * is read as a whole, in the order of creation, since the filter depends on all modules of the list.
 */
async function* streamInStableOrder(
  records: RecordStore,
  { query, scope }: ResolvedList<NamedScope>,
): AsyncGenerator<RecordRow[]> {
  if (isFiltered(query)) {
    const inOrder = { ...query, sort: 'record_id', descending: false } as const
    yield* streamRecords(records, { query: inOrder, scope })
    return
  }
  const inOrder = { ...query, sort: 'reference_number', descending: false } as const
  for (const module of scope.modules) {
    yield* streamRecords(records, {
      query: inOrder,
      scope: { ...scope, everywhere: false, all: false, modules: [module] },
    })
  }
}

/** @throws HubError `invalid_request` for an option that the format does not have. */
function readOptions(query: ExportRequest): ExportOptions {
  const { format, columns, header, raw, bom } = query
  const isTable = format === 'csv' || format === 'xlsx'
  const unsupported = Object.entries({
    columns: isTable || columns === undefined,
    header: isTable || header === undefined,
    raw: format === 'csv' || raw === undefined,
    bom: format === 'csv' || bom === undefined,
  }).find(([, isSupported]) => !isSupported)
  if (unsupported) {
    throw new HubError('invalid_request', {
      reason: `the format ${format} does not support ${unsupported[0]}`,
    })
  }
  return {
    format,
    columns: typeof columns === 'string' ? columns.split(',') : (columns ?? null),
    header: header ?? 'key',
    raw: raw === 'true',
    bom: bom === 'true',
  }
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Readable,
  { format, asGzipFile }: { format: ExportOptions['format']; asGzipFile: boolean },
) {
  if (asGzipFile) return reply.type(GZIP_TYPE).send(compress(stream))
  reply.type(EXPORT_TYPES[format])
  if (format === 'xlsx') return reply.send(stream)
  reply.header('Vary', 'Accept-Encoding')
  if (!acceptsGzip(request)) return reply.send(stream)
  return reply.header('Content-Encoding', 'gzip').send(compress(stream))
}

/** If one of the streams is destroyed, so is the other. */
function compress(stream: Readable): Readable {
  const gzip = createGzip({ level: 3 })
  pipeline(stream, gzip, () => undefined)
  return gzip
}
