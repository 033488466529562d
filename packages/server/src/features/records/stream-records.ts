/** Reads the records of an export in chunks, and traces the export. */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { Span, Tracer } from '../../lib/tracing/tracer.ts'
import type {
  ListScope,
  Position,
  RecordRow,
  RecordStore,
} from '../../storage/port/record-store.ts'
import type { ResolvedList } from './list-query.ts'
import { SCAN_MS } from './list-records.ts'

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
