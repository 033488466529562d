import { randomUUID } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { HubError } from '../errors.ts'
import { answerUnknownRoutes } from './allowed-methods.ts'
import { type Authenticators, type Authorization, authorize, type CsrfTokens } from './authorize.ts'
import { createClientErrorAnswer } from './client-errors.ts'
import { handleErrors, sendError } from './error-handler.ts'
import { parseJsonBodies } from './json-body.ts'
import { describeApi } from './openapi.ts'
import { createHeaders, headersOf } from './response-headers.ts'
import { serializerCompiler } from './serialize.ts'
import { validatorCompiler } from './validate.ts'
import { createHostValidator } from './validate-host.ts'

export type HttpSettings = {
  logger: FastifyBaseLogger
  bodyLimit: number
  /** How many proxies in front are trusted, or which; false for none. */
  trustProxy: false | number | string
  version: string
  /** Whether operators and platforms come over TLS. */
  isBehindTls: boolean
  /** HUB_PUBLIC_URL; empty where it is not set. */
  publicUrl: string
  /** Why the hub takes no requests at the moment; null where it does. */
  refusal: () => 'starting' | 'shutting_down' | null
  /** Where they differ from `LIMITS`. */
  limits?: Partial<HttpLimits>
}

/** What a caller may take of the hub before it has shown who it is. */
export type HttpLimits = {
  /** Within this a request has to come whole: a slow sender must not hold a connection for ever. */
  requestMs: number
  /** How often slow ones are looked for. */
  lookEveryMs: number
  /** Open at once; more are closed as they come, so that files and memory are left for the work. */
  connections: number
}
const LIMITS: HttpLimits = { requestMs: 60_000, lookEveryMs: 30_000, connections: 5000 }

/** Maximum length of a parameter in a path. */
const MAX_PARAM_LENGTH = 1024

export type HttpServer = { app: FastifyInstance; authorization: Authorization }

/** The HTTP server without its routes: what holds for every request. */
export async function createHttpServer(
  settings: HttpSettings,
  authenticators: Authenticators,
  csrfTokenOf: CsrfTokens,
): Promise<HttpServer> {
  const limits = { ...LIMITS, ...settings.limits }
  const giveHeaders = createHeaders(settings)
  const app = fastify({
    loggerInstance: settings.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs more than a check of its key.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    bodyLimit: settings.bodyLimit,
    trustProxy: trustedProxies(settings.trustProxy),
    return503OnClosing: false,
    requestTimeout: limits.requestMs,
    http: {
      connectionsCheckingInterval: limits.lookEveryMs,
      headersTimeout: limits.requestMs,
      // Node.js' own refusal has none of the headers; the check of the Host refuses with them.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (_error, request, reply) => {
      // It meets no hook and no error handler.
      giveHeaders(reply)
      reply.header('X-Request-Id', request.id)
      refuseAddress(request, reply)
    },
    clientErrorHandler: createClientErrorAnswer(headersOf(settings)),
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.server.maxConnections = limits.connections
  // Node still knows the address of a closed connection if it was read before, and requests outlive connections.
  app.server.on('connection', (socket) => void socket.remoteAddress)
  // What nobody knows is not met rather than refused, as RFC 9110, section 10.1.1, leaves open.
  app.server.on('checkExpectation', app.routing)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  parseJsonBodies(app)
  handleErrors(app, settings.bodyLimit)
  const findHostFault = createHostValidator()
  app.addHook('onRequest', (request, reply, done) => {
    giveHeaders(reply)
    reply.header('X-Request-Id', request.id)
    const fault = findHostFault(request)
    if (fault !== null) return done(new HubError('invalid_request', { reason: fault }))
    const refusal = settings.refusal()
    if (refusal === null) return done()
    done(new HubError(refusal, { seconds: 5 }, { retryAfterSeconds: 5 }))
  })
  // Also for what came before the stop: a connection that stays open would hold up the end.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (settings.refusal() === 'shutting_down') reply.header('Connection', 'close')
    done(null, payload)
  })
  answerUnknownRoutes(app, MAX_PARAM_LENGTH)
  const authorization = authorize(app, authenticators, {
    csrfTokenOf,
    publicUrl: settings.publicUrl,
  })
  await describeApi(app, settings.version)
  return { app, authorization }
}

/** As the framework takes it: hop 0 is the one that the hub is connected to. */
function trustedProxies(setting: HttpSettings['trustProxy']) {
  if (typeof setting !== 'number') return setting
  return (_address: string, hop: number) => hop < setting
}

/** An address that the router gives up on. */
function refuseAddress(request: FastifyRequest, reply: FastifyReply): void {
  const reason = `its address is no UTF-8, or a part of it is longer than ${MAX_PARAM_LENGTH} characters`
  sendError(request, reply, new HubError('invalid_request', { reason }))
}
