import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { RECEIVER_CHECK_PATH, RECEIVER_PATH } from '@recordhub/protocol'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { HubError, storageFailed } from '../errors.ts'
import { errorCodeOf } from '../lib/files/error-code.ts'
import { readMaxOpenFiles } from '../lib/metrics/process-metrics.ts'
import { breakOff, registerRoutes } from '../lib/net/http.ts'
import { logAccess } from './access-log.ts'
import { handleUnknownRoutes } from './allowed-methods.ts'
import { type Authenticators, authorize, type CsrfTokens } from './authorize.ts'
import { limitConnections, limitResponses, maxConnectionsFor } from './connection-limit.ts'
import { createClientErrorHandler, handleErrors, sendError } from './error-handler.ts'
import { parseForwardedAddresses } from './forwarded-addresses.ts'
import { acceptJsonBodies, type BodyAdmissions, limitBodies } from './request-bodies.ts'
import { createHeaders, headersOf } from './response-headers.ts'
import { type Route, toPlugin } from './route.ts'
import { serializerCompiler, validatorCompiler } from './schema-compilers.ts'

type HttpSettings = {
  logger: FastifyBaseLogger
  bodyLimit: number
  /** The number of trusted proxies in front of the hub, or their addresses; false for none. */
  trustProxy: false | number | string
  /** Whether HUB_PUBLIC_URL is an https URL. */
  isBehindTls: boolean
  /** HUB_HSTS_SUBDOMAINS. */
  hstsSubdomains?: boolean
  /** HUB_PUBLIC_URL; empty if it is not set. */
  publicUrl: string
  /** The reason why the hub rejects all requests at the moment; null if it accepts them. */
  rejectionReason: () => 'starting' | 'shutting_down' | 'storage_failed' | null
  /** Logs every request; left out for no access log. */
  accessLog?: FastifyBaseLogger
  /** How often the caller of a response that is being sent is checked again; by default every 15 seconds. */
  recheckMs?: number
  /** Overrides some of `LIMITS`. */
  limits?: Partial<HttpLimits>
}

/** The limits for the connections of clients. */
export type HttpLimits = {
  /** The time within which a request must be received completely, so that slow clients do not occupy connections. */
  requestMs: number
  /** How often the server checks for slow requests. */
  checkIntervalMs: number
  /** The maximum number of open connections. */
  connections: number
  /** The time within which a client must read some of the response that waits for it. */
  stallMs: number
}
const LIMITS: Omit<HttpLimits, 'connections'> = {
  requestMs: 60_000,
  checkIntervalMs: 30_000,
  // Longer than a slow request takes to get its 408 response.
  stallMs: 120_000,
}

/** Maximum length of a parameter in a path. */
const MAX_PARAM_LENGTH = 1024

/**
 * Creates the HTTP server without routes.
 * @returns an object, because awaiting the instance itself would start it.
 */
export async function createHttpServer(
  settings: HttpSettings,
  authenticators: Authenticators,
  csrfTokenOf: CsrfTokens,
): Promise<{ app: FastifyInstance; bodies: BodyAdmissions; closeConnections: () => void }> {
  const connections = maxConnectionsFor(readMaxOpenFiles())
  const limits = { ...LIMITS, connections, ...settings.limits }
  const setHeaders = createHeaders(settings)
  const app = fastify({
    loggerInstance: settings.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request would cost more than the authentication of a push.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    bodyLimit: settings.bodyLimit,
    trustProxy: trustedProxies(settings.trustProxy),
    return503OnClosing: false,
    requestTimeout: limits.requestMs,
    http: {
      connectionsCheckingInterval: limits.checkIntervalMs,
      headersTimeout: limits.requestMs,
      // The response of Node.js would lack the hub's headers; the host validator rejects such requests instead.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (_error, request, reply) => {
      // No hook and no error handler runs for these errors.
      setHeaders(reply)
      reply.header('X-Request-Id', request.id)
      rejectUrl(request, reply)
    },
    clientErrorHandler: createClientErrorHandler(headersOf(settings)),
  }).withTypeProvider<TypeBoxTypeProvider>()
  if (settings.trustProxy !== false) parseForwardedAddresses(app)
  const { closeAll } = limitConnections(app.server, limits, settings.logger)
  // Node.js caches the address, so that it is still known if the connection closes before the request ends.
  app.server.on('connection', (socket) => void socket.remoteAddress)
  // Ignores unknown expectations instead of responding 417, which RFC 9110, section 10.1.1, allows.
  app.server.on('checkExpectation', app.routing)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  acceptJsonBodies(app)
  handleErrors(app)
  if (settings.accessLog) logAccess(app, settings.accessLog)
  const findHostIssue = createHostValidator()
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply)
    reply.header('X-Request-Id', request.id)
    const issue = findHostIssue(request)
    if (issue !== null) return done(new HubError('invalid_request', { reason: issue }))
    const rejection = settings.rejectionReason()
    if (rejection === null) return done()
    done(new HubError(rejection, { seconds: 5 }, { retryAfterSeconds: 5 }))
  })
  // Also for requests received before the stop: an open connection would delay it.
  app.addHook('onSend', (_request, reply, payload, done) => {
    const rejection = settings.rejectionReason()
    if (rejection === 'shutting_down') reply.header('Connection', 'close')
    // After a failure of the disk, nothing is acknowledged any more.
    if (rejection === 'storage_failed' && reply.statusCode < 400) done(storageFailed())
    else done(null, payload)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (payload instanceof Readable) {
      payload.once('error', () => reply.raw.headersSent && breakOff(reply.raw))
    }
    done(null, payload)
  })
  limitResponses(app)
  const bodies = limitBodies(app, settings.bodyLimit)
  authorize(app, authenticators, { ...settings, csrfTokenOf })
  handleUnknownRoutes(app, MAX_PARAM_LENGTH)
  return { app, bodies, closeConnections: closeAll }
}

/** @param setting the name of the port's setting. @returns the URL. @throws Error if the port is taken. */
export async function listen(
  app: FastifyInstance,
  { port, host, setting = 'PORT' }: { port: number; host: string; setting?: string },
): Promise<string> {
  try {
    return await app.listen({ port, host })
  } catch (error) {
    if (errorCodeOf(error) !== 'EADDRINUSE') throw error
    throw new Error(`${setting}: ${port} is taken by another program (${host}).`, { cause: error })
  }
}

/** The limit of the second port, which is for scrapers and health checks only. */
const METRICS_LIMITS = { connections: 100 }
const NOBODY = { findOperator: async () => null, findProgram: async () => null }

/** Creates the server of a second port, which serves only the metrics and the health checks. */
export async function createMetricsServer(
  settings: HttpSettings,
  routes: readonly Route[],
): Promise<{ app: FastifyInstance }> {
  const limited = { ...settings, limits: METRICS_LIMITS }
  const { app } = await createHttpServer(limited, NOBODY, () => '')
  await registerRoutes(app, toPlugin(routes))
  return { app }
}

/** The setting in the form of Fastify. Hop 0 is the proxy that connects to the hub. */
function trustedProxies(setting: HttpSettings['trustProxy']) {
  if (typeof setting !== 'number') return setting
  return (_address: string, hop: number) => hop < setting
}

/** Responds to a URL that the router cannot decode. */
function rejectUrl(request: FastifyRequest, reply: FastifyReply): void {
  const reason = `its URL is not UTF-8, or a part of it is longer than ${MAX_PARAM_LENGTH} characters`
  sendError(request, reply, new HubError('invalid_request', { reason }))
}

const HEALTH_ROUTES = ['/healthz', '/readyz']
/** Platforms may push with programs that are older than HTTP/1.1. These routes build no links from the host. */
const ROUTES_WITHOUT_HOST = [...HEALTH_ROUTES, RECEIVER_PATH, RECEIVER_CHECK_PATH]
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * Creates a function that returns why the host of a request is not valid; null if it is. The hub builds links from it,
 * and a proxy may evaluate another one of several Host headers than the hub. Only a health check may send an empty host.
 * In HTTP/1.0, a push may send none, too (RFC 9112, section 3.2).
 */
function createHostValidator(): (request: FastifyRequest) => string | null {
  // Nearly all requests have the same host.
  let validHost = ''
  return ({ host, raw, routeOptions }) => {
    const isLeftOut = raw.headers.host === undefined
    if (isLeftOut && raw.httpVersion === '1.1') return 'it has no Host header'
    const withoutHost = isLeftOut ? ROUTES_WITHOUT_HOST : HEALTH_ROUTES
    if (host === '' && withoutHost.includes(routeOptions.url ?? '')) return null
    if (host !== validHost && !(HOST.test(host) && URL.canParse(`http://${host}`))) {
      return 'its Host header is not valid'
    }
    validHost = host
    return hasTwoHosts(raw.rawHeaders) ? 'it has two Host headers' : null
  }
}

/** @param rawHeaders names and values alternate. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}
