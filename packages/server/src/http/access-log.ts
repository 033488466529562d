import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientSubnet } from '../lib/net/client-subnet.ts'
import { ACCESS, routeKeysOf } from './access.ts'

const SENT_BEFORE = 'bytesSentBefore'

/**
 * Logs every request when its response has ended. An entry has the pattern of the route instead of the URL, whose
 * query may contain data of records, and the subnet of the client, as counts of push errors do. Call it before the
 * routes are registered. Without it, a request costs nothing.
 */
export function logAccess(app: FastifyInstance, logger: FastifyBaseLogger): void {
  // The access log does not depend on HUB_LOG_LEVEL.
  const log = logger.child({ log: 'access' }, { level: 'info' })
  app.decorateRequest(SENT_BEFORE, 0)
  app.addHook('onRequest', (request, _reply, done) => {
    request.setDecorator(SENT_BEFORE, bytesSent(request))
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    log.info(describe(request, reply))
    done()
  })
}

function describe(request: FastifyRequest, reply: FastifyReply): object {
  return {
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
    // With the headers, as sent on the connection.
    bytes: bytesSent(request) - request.getDecorator<number>(SENT_BEFORE),
    request_id: request.id,
    client: clientSubnet(request.ip),
    caller: kindOfCaller(request, reply),
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
  }
}

/** Requests of a connection are handled one after the other. */
function bytesSent({ raw: { socket } }: FastifyRequest): number {
  return socket.bytesWritten ?? 0
}

/** The kind of the authenticated caller, not its identity; `anyone` if the route or the request has none. */
function kindOfCaller(request: FastifyRequest, { statusCode }: FastifyReply): string {
  if (request.caller) return request.caller.kind
  const { method, routeOptions } = request
  const [key = ''] = routeKeysOf({ method, url: routeOptions.url ?? '' })
  const access = ACCESS[key]
  const hasKey = (access === 'platform' || access === 'scraper') && statusCode !== 401
  return hasKey ? access : 'anyone'
}
