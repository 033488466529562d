import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ChangedRecordPush,
  ErrorResponse,
  NewRecordPush,
  PushCheckResponse,
  type PushErrorReason,
  PushResponse,
  RECEIVER_CHECK_PATH,
  RECEIVER_GUIDE_PATH,
  RECEIVER_PATH,
  ReceiverGuideQuery,
} from '@recordhub/protocol'
import { DEFAULT_GUIDE_LANGUAGE, type GuideLanguage } from '@recordhub/protocol/constants'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { describeTooManyKeys, formatErrors, PushBody } from '../../domain/record/record-input.ts'
import { HubError, tooManyRequests } from '../../errors.ts'
import { createRateLimit } from '../../lib/concurrency/rate-limit.ts'
import { hasMoreMembers } from '../../lib/json/count-members.ts'
import type { Span, Tracer } from '../../lib/tracing/tracer.ts'
import type { AuthenticatedPlatform } from '../../storage/port/platform-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { PushErrorCounter } from './count-push-errors.ts'
import type { PushMetrics } from './ingest-metrics.ts'
import { keyOf, type ReceivedRequest, type RequestLog } from './log-requests.ts'
import type { PlatformAuthenticator, ReceivePush } from './receive-push.ts'

/** Accepts only JSON bodies, and reads them with a function. */
type AcceptJsonBodies = (
  app: FastifyInstance,
  read: (bytes: Buffer, parse: (bytes: Buffer) => unknown, request: FastifyRequest) => unknown,
) => void

/** The key of a request and its platform. */
type Authenticated = {
  key: string
  platform: AuthenticatedPlatform
  /** When its headers were read, by `performance.now()`. */
  begun: number
  /** Null if the request is not traced. */
  span: Span | null
  /** The body that was read, for the request log. */
  bytes: Buffer | null
  accepted: ReceivedRequest['accepted']
}
const AUTHENTICATED = 'authenticated'

/** The error codes of requests that are counted but not stored. */
const COUNTED: Readonly<Record<string, PushErrorReason>> = {
  invalid_json: 'invalid_json',
  unsupported_media_type: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
}

/**
 * A push whose data have more than so many times the keys of a record is not parsed, because that takes up to half a second
 * of the event loop, and so it is not saved either.
 */
const SAVED_KEYS_FACTOR = 2

export type PushRouteDeps = Pick<FeatureDeps, 'tracer' | 'monotonicClock'> & {
  /** HUB_RATE_LIMIT: the maximum number of pushes per second of each platform; 0 for no limit. */
  config: Pick<FeatureDeps['config'], 'HUB_RATE_LIMIT' | 'HUB_MAX_RECORD_KEYS'>
  authenticator: PlatformAuthenticator
  receivePush: ReceivePush
  acceptJsonBodies: AcceptJsonBodies
  counter: Pick<PushErrorCounter, 'countError' | 'recordAddress'>
  requestLog: RequestLog
  pushMetrics: PushMetrics
  /** Returns the integration guide of a platform as Markdown; null if there is none to read. */
  readGuideOf:
    | ((
        request: FastifyRequest,
        choice: { platformId: number; language: GuideLanguage },
      ) => Promise<string>)
    | null
}

/** The receiver that platforms push to. */
export function pushRoutes(deps: PushRouteDeps): FastifyPluginAsyncTypebox {
  const { authenticator, receivePush, counter, requestLog, pushMetrics, tracer } = deps
  const { HUB_RATE_LIMIT: ratePerSecond, HUB_MAX_RECORD_KEYS: maxKeys } = deps.config
  const rateLimit = ratePerSecond > 0 ? createRateLimit(ratePerSecond, deps.monotonicClock) : null
  return async (app) => {
    app.decorateRequest(AUTHENTICATED)
    deps.acceptJsonBodies(app, (bytes, parse, request) => {
      request.getDecorator<Authenticated>(AUTHENTICATED).bytes = bytes
      if (hasMoreMembers(bytes, 'data', SAVED_KEYS_FACTOR * maxKeys)) throw tooManyKeys(maxKeys)
      return new PushBody(bytes, parse)
    })
    // Before the body is read, so that a request without a valid key costs little.
    app.addHook('onRequest', (request, reply, done) => {
      const span = tracer && startSpan(tracer, request)
      const begun = performance.now()
      const key = keyOf(request)
      const accept = (platform: AuthenticatedPlatform | null) => {
        span?.addChild('authenticate', begun, performance.now())
        if (!platform) {
          span?.end('api_key_invalid')
          const hasAuthorization = request.headers.authorization !== undefined
          authenticator.reject(key, hasAuthorization).then(done, done)
          return
        }
        // RFC 8594.
        if (platform.expires_at) reply.header('Sunset', new Date(platform.expires_at).toUTCString())
        span?.setAttributes({ 'recordhub.platform': platform.platform_name })
        const received = { key, platform, begun, span, bytes: null, accepted: null }
        request.setDecorator<Authenticated>(AUTHENTICATED, received)
        counter.recordAddress(platform.platform_id, request.ip)
        done()
      }
      const cached = authenticator.findCached(key)
      if (cached) accept(cached)
      else authenticator.find(key).then(accept, done)
    })

    app.addHook('onError', async (request, _reply, error: FastifyError | HubError) => {
      const authenticated = request.getDecorator<Authenticated | undefined>(AUTHENTICATED)
      const status = error instanceof HubError ? error.status : (error.statusCode ?? 500)
      if (isPush(request)) pushMetrics.countError({ code: error.code, status })
      authenticated?.span?.setAttributes({ 'http.response.status_code': status })
      // An unexpected error has no code.
      authenticated?.span?.end(error.code || 'internal_error')
      const key = keyOf(request)
      const sender = { key, address: request.ip, request_id: request.id }
      if (error.code === 'api_key_invalid') {
        const reason = key === '' ? 'key_missing' : 'key_invalid'
        counter.countError({ ...sender, reason, platform_id: null })
        return
      }
      // A push whose body was read is saved.
      const isSaved = request.body instanceof PushBody
      const reason =
        error.code === 'invalid_record' && !isSaved ? 'too_many_keys' : COUNTED[error.code]
      if (!reason || !authenticated) return
      const { platform_id } = authenticated.platform
      counter.countError({ ...sender, reason, platform_id })
    })

    app.addHook('onSend', (request, reply, payload, done) => {
      const authenticated = request.getDecorator<Authenticated | undefined>(AUTHENTICATED)
      requestLog.add(request, reply, payload, {
        key: keyOf(request),
        platform_id: authenticated?.platform.platform_id ?? null,
        bytes: authenticated?.bytes ?? null,
        accepted: authenticated?.accepted ?? null,
      })
      done(null, payload)
    })

    for (const method of ['POST', 'PATCH'] as const) {
      app.route({
        method,
        url: RECEIVER_PATH,
        schema: {
          summary: method === 'POST' ? 'Push a new record' : 'Push the changed fields of a record',
          body: method === 'POST' ? NewRecordPush : ChangedRecordPush,
          response: {
            200: PushResponse,
            201: PushResponse,
            '4xx': ErrorResponse,
            '5xx': ErrorResponse,
          },
        },
        // The handler validates the body, since an invalid push is saved with its reason.
        validatorCompiler: () => (value) => ({ value }),
        handler: async (request, reply) => {
          const authenticated = request.getDecorator<Authenticated>(AUTHENTICATED)
          const { key, platform, begun, span } = authenticated
          const pushed: unknown = request.body
          // A request without a content type has no body.
          if (!(pushed instanceof PushBody)) throw new HubError('unsupported_media_type')
          // Only pushes count: a check of the key and a body that is not JSON cost the hub little.
          const seconds = rateLimit?.take(String(platform.platform_id)) ?? 0
          if (seconds > 0) throw tooManyRequests(seconds)
          const { status, body, record } = await receivePush({
            method,
            body: pushed,
            key,
            platform,
            request_id: request.id,
            span,
          })
          const { record_id, outcome } = body
          authenticated.accepted = { ...record, record_id, outcome }
          pushMetrics.countAccepted(outcome, (performance.now() - begun) / 1000)
          if (span) {
            span.setAttributes({
              'http.response.status_code': status,
              'recordhub.outcome': outcome,
            })
            span.end()
          }
          reply.code(status)
          return body
        },
      })
    }

    app.get(
      RECEIVER_CHECK_PATH,
      {
        schema: {
          summary: 'Check a hub API key; stores nothing',
          response: { 200: PushCheckResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { platform } = request.getDecorator<Authenticated>(AUTHENTICATED)
        return {
          success: true as const,
          platform_name: platform.platform_name,
          modules: platform.modules,
          valid_until: platform.expires_at,
        }
      },
    )

    const { readGuideOf } = deps
    if (!readGuideOf) return
    const content = { 'text/markdown; charset=utf-8': { schema: Type.String() } }
    app.get(
      RECEIVER_GUIDE_PATH,
      {
        schema: {
          summary:
            'Read the integration guide with the modules and fields of the platform, as Markdown',
          querystring: ReceiverGuideQuery,
          response: { 200: { description: 'The guide', content }, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { platform } = request.getDecorator<Authenticated>(AUTHENTICATED)
        reply.type('text/markdown; charset=utf-8')
        const { language = DEFAULT_GUIDE_LANGUAGE } = request.query
        return readGuideOf(request, { platformId: platform.platform_id, language })
      },
    )
  }
}

function tooManyKeys(maxKeys: number): HubError {
  const errors = describeTooManyKeys(maxKeys)
  return new HubError('invalid_record', { reason: formatErrors(errors) }, { errors })
}

/** Whether a request is a push: the plugin also has the check of a key. */
function isPush({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === RECEIVER_PATH
}

function startSpan(tracer: Tracer, request: FastifyRequest): Span | null {
  if (!isPush(request)) return null
  return tracer.startSpan(`${request.method} ${RECEIVER_PATH}`, {
    isServer: true,
    traceparent: request.headers['traceparent'],
    attributes: {
      'http.request.method': request.method,
      'http.route': RECEIVER_PATH,
      'recordhub.request_id': request.id,
    },
  })
}
