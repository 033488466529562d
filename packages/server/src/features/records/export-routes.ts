import { pipeline, type Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, OneOf, type Platform } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { isFiltered } from '../../domain/record/record-query.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { RecordRow, RecordStore } from '../../storage/port/record-store.ts'
import { nameExportFile } from './export-name.ts'
import {
  EXPORT_FORMATS,
  EXPORT_TYPES,
  type ExportOptions,
  exportRecords,
} from './export-records.ts'
import { FIELD_FILTERS, givenOf, ListFilters, readListQuery } from './list-query.ts'
import type { ListQuery } from './record-cursor.ts'
import { begin, streamRecords } from './stream-records.ts'

export type ExportParts = {
  records: Pick<RecordStore, 'listRecords'>
  platforms: Pick<PlatformStore, 'listPlatforms'>
  activity: Pick<ActivityStore, 'appendAudit'>
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}

const flag = (description: string) =>
  Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: 'string',
      enum: ['true', 'false'],
      description,
    }),
  )

const GZIP_TYPE = 'application/gzip'

const ExportMembers = {
  format: OneOf(...EXPORT_FORMATS),
  columns: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description:
        'csv, xlsx: hub_… or keys of data, separated by commas, or one a parameter where several are given. All where left out.',
    }),
  ),
  header: Type.Optional(OneOf('key', 'label')),
  raw: flag('csv: leave cells as they are that a spreadsheet would run as formulas'),
  bom: flag('csv: begin with a byte order mark, by which Excel knows UTF-8'),
  gzip: flag('Give a compressed file. XLSX is compressed as it is.'),
}
type ExportRequest = Type.Static<Type.TObject<typeof ExportMembers>>

const ExportQuery = Type.Object(
  { ...ListFilters, ...ExportMembers },
  // Filters; what else comes is refused by its name.
  { additionalProperties: Type.String() },
)

const EXPORTED = {
  description: 'The file, named by Content-Disposition',
  content: Object.fromEntries(
    [...Object.values(EXPORT_TYPES), GZIP_TYPE].map((type) => [
      type,
      { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
    ]),
  ),
}

/** Taking records away as a file. */
export function exportRoutes(parts: ExportParts): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/records/export',
      {
        // It would write the whole file to throw it away; and it is compressed here, where it ends with it.
        exposeHeadRoute: false,
        compress: false,
        schema: {
          summary: 'Export the records of a list as a file',
          description: FIELD_FILTERS,
          querystring: ExportQuery,
          response: { 200: EXPORTED, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const { format, columns, header, raw, bom, gzip, ...parameters } = request.query
        const options = readOptions(request.query)
        const query = readListQuery(givenOf(parameters))
        const places = await findPlaces(parts, query)
        const modules = places.map((place) => place.module)
        const isSorted = parameters.sort !== undefined
        const chunks = await begin(
          isSorted
            ? streamRecords(parts.records, query)
            : readUnsorted(parts.records, query, places),
        )
        const stream = exportRecords(chunks, modules, options)
        const { platform, record_type } = query
        await parts.activity.appendAudit({
          ...parts.requesterOf(request),
          action: 'records.export',
          target: platform,
          details: withoutTexts(request.query),
        })
        const isFile = gzip === 'true' && options.format !== 'xlsx'
        const day = parts.clock.now().toISOString().slice(0, 10)
        const names = [platform, record_type].filter((name) => name !== null)
        const ending = isFile ? `${options.format}.gz` : options.format
        reply.header('Content-Disposition', nameExportFile([...names, day], ending))
        return sendFile(request, reply, stream, { format: options.format, isFile })
      },
    )
  }
}

/** Filters by what a person is found by. */
const BY_TEXT = /^(?:q|reference_number|filter\[.*)$/s

/** Says which filters there were, and not what was looked for: it would outlive the record of whoever is erased. */
function withoutTexts(query: object): Record<string, unknown> {
  const told = Object.entries(query).map(([name, value]) => [
    name,
    BY_TEXT.test(name) ? '…' : value,
  ])
  return Object.fromEntries(told)
}

type Place = { platform: string; record_type: string; module: Platform['modules'][number] }

async function findPlaces({ platforms }: ExportParts, query: ListQuery): Promise<Place[]> {
  const all = await platforms.listPlatforms()
  return all
    .filter(({ platform_name }) => query.platform === null || query.platform === platform_name)
    .flatMap(({ platform_name, modules }) =>
      modules.map((module) => ({
        platform: platform_name,
        record_type: module.record_type,
        module,
      })),
    )
    .filter(({ record_type }) => query.record_type === null || query.record_type === record_type)
}

/**
 * In an order that never changes: module after module by reference, or where it is filtered as a whole, since
 * what a filter finds depends on all the modules of the list, by age.
 */
async function* readUnsorted(
  records: ExportParts['records'],
  query: ListQuery,
  places: Place[],
): AsyncGenerator<RecordRow[]> {
  if (isFiltered(query)) {
    yield* streamRecords(records, { ...query, sort: 'record_id', descending: false })
    return
  }
  for (const { platform, record_type } of places) {
    const module = { ...query, platform, record_type }
    yield* streamRecords(records, { ...module, sort: 'reference_number', descending: false })
  }
}

/** @throws HubError `invalid_request` for what the format does not have. */
function readOptions(query: ExportRequest): ExportOptions {
  const { format, columns, header, raw, bom } = query
  const isTable = format === 'csv' || format === 'xlsx'
  const foreign = Object.entries({
    columns: isTable || columns === undefined,
    header: isTable || header === undefined,
    raw: format === 'csv' || raw === undefined,
    bom: format === 'csv' || bom === undefined,
  }).find(([, fits]) => !fits)
  if (foreign) {
    throw new HubError('invalid_request', {
      reason: `${foreign[0]} is not for the format ${format}`,
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
  { format, isFile }: { format: ExportOptions['format']; isFile: boolean },
) {
  if (isFile) return reply.type(GZIP_TYPE).send(compress(stream))
  reply.type(EXPORT_TYPES[format])
  if (format === 'xlsx') return reply.send(stream)
  reply.header('Vary', 'Accept-Encoding')
  if (!takesGzip(request.headers['accept-encoding'])) return reply.send(stream)
  return reply.header('Content-Encoding', 'gzip').send(compress(stream))
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return /(?:^|,)\s*gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))\s*(?:[;,]|$)/i.test(
    String(accepted ?? ''),
  )
}

/** Whichever of the two ends early ends the other. */
function compress(stream: Readable): Readable {
  const gzip = createGzip({ level: 3 })
  pipeline(stream, gzip, () => undefined)
  return gzip
}
