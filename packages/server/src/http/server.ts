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
import { answerErrors, sendError } from './error-answers.ts'
import { parseJsonBodies } from './json-body.ts'
import { describeApi } from './openapi.ts'
import { serializerCompiler } from './serialize.ts'
import { validatorCompiler } from './validate.ts'

export type HttpSettings = {
  logger: FastifyBaseLogger
  bodyLimit: number
  trustProxy: boolean | string
  version: string
  /** Why the hub takes no requests at the moment; null where it does. */
  refusal: () => 'starting' | 'shutting_down' | null
}

export type HttpServer = { app: FastifyInstance; authorization: Authorization }

/** The HTTP server without its routes: what holds for every request. */
export async function createHttpServer(
  settings: HttpSettings,
  authenticators: Authenticators,
  csrfTokenOf: CsrfTokens,
): Promise<HttpServer> {
  const app = fastify({
    loggerInstance: settings.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs more than a check of its key.
    childLoggerFactory: (logger) => logger,
    genReqId: () => randomUUID(),
    bodyLimit: settings.bodyLimit,
    trustProxy: settings.trustProxy,
    return503OnClosing: false,
    // A slow sender must not hold a connection for ever.
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 1024 },
    frameworkErrors: refuseAddress,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  parseJsonBodies(app)
  answerErrors(app, settings.bodyLimit)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    const refusal = settings.refusal()
    if (refusal === null) return done()
    done(new HubError(refusal, { seconds: 5 }, { retryAfterSeconds: 5 }))
  })
  // Also for what came before the stop: a connection that stays open would hold up the end.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (settings.refusal() === 'shutting_down') reply.header('Connection', 'close')
    done(null, payload)
  })
  answerUnknownRoutes(app)
  const authorization = authorize(app, authenticators, csrfTokenOf)
  await describeApi(app, settings.version)
  return { app, authorization }
}

/** An address that the router gives up on meets no hook and no error handler. */
function refuseAddress(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id)
  const reason = 'its address is no UTF-8, or a part of it is longer than 1024 characters'
  sendError(request, reply, new HubError('invalid_request', { reason }))
}
