import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { Span, Tracer } from '../../lib/tracing/tracer.ts'

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
