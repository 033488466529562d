import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ChangedRecordPush,
  ErrorAnswer,
  HUB_KEY_HEADER,
  NewRecordPush,
  PushAnswer,
  PushCheckAnswer,
  type PushErrorReason,
  RECEIVER_CHECK_PATH,
  RECEIVER_PATH,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { HubError, tooManyRequests } from '../../errors.ts'
import { createRateLimit } from '../../lib/concurrency/rate-limit.ts'
import type { MonotonicClock } from '../../lib/time/clock.ts'
import type { AuthenticatedPlatform } from '../../storage/port/platform-store.ts'
import type { PlatformAuthenticator } from './authenticate-platform.ts'
import type { PushErrorCounter } from './count-push-errors.ts'
import type { ReceivePush } from './receive-push.ts'

/** What the key of a request opens. */
type Opened = { key: string; receiver: AuthenticatedPlatform }
const OPENED = 'receiver'

/** The errors that are counted, by their code: nothing of these requests is stored. */
const COUNTED: Readonly<Record<string, PushErrorReason>> = {
  invalid_json: 'invalid_json',
  unsupported_media_type: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
}

/** The receiver that platforms push to. */
export function pushRoutes(options: {
  receivers: PlatformAuthenticator
  receivePush: ReceivePush
  counter: Pick<PushErrorCounter, 'countError' | 'recordAddress'>
  /** Pushes a second for each platform; 0 for no limit. */
  ratePerSecond: number
  monotonicClock: MonotonicClock
}): FastifyPluginAsyncTypebox {
  const { receivers, receivePush, counter, ratePerSecond } = options
  const rateLimit =
    ratePerSecond > 0 ? createRateLimit(ratePerSecond, options.monotonicClock) : null
  return async (app) => {
    app.decorateRequest(OPENED)
    // Before the body is read: a caller without a key costs little and is told nothing else.
    app.addHook('onRequest', async (request) => {
      const key = keyOf(request)
      const receiver = await receivers.find(key)
      if (!receiver) throw new HubError('api_key_invalid')
      request.setDecorator<Opened>(OPENED, { key, receiver })
      counter.recordAddress(receiver.platform_id, request.ip)
    })

    app.addHook('onError', async (request, _reply, error) => {
      const key = keyOf(request)
      const sender = { key, address: request.ip }
      if (error.code === 'api_key_invalid') {
        const reason = key === '' ? 'key_missing' : 'key_invalid'
        counter.countError({ ...sender, reason, platform_id: null })
        return
      }
      const reason = COUNTED[error.code]
      const opened = request.getDecorator<Opened | undefined>(OPENED)
      if (!reason || !opened) return
      counter.countError({ ...sender, reason, platform_id: opened.receiver.platform_id })
    })

    for (const method of ['POST', 'PATCH'] as const) {
      app.route({
        method,
        url: RECEIVER_PATH,
        schema: {
          summary: method === 'POST' ? 'Push a new record' : 'Push the changed fields of a record',
          body: method === 'POST' ? NewRecordPush : ChangedRecordPush,
          response: { 200: PushAnswer, 201: PushAnswer, '4xx': ErrorAnswer, '5xx': ErrorAnswer },
        },
        // What is wrong is kept with its reason, so the handler judges.
        validatorCompiler: () => (value) => ({ value }),
        handler: async (request, reply) => {
          const { key, receiver } = request.getDecorator<Opened>(OPENED)
          if (request.headers['content-type'] === undefined) {
            throw new HubError('unsupported_media_type')
          }
          // Only pushes count: checks of the key and bodies that are not JSON cost the hub little.
          const seconds = rateLimit?.take(String(receiver.platform_id)) ?? 0
          if (seconds > 0) throw tooManyRequests(seconds)
          const { status, answer } = await receivePush({
            method,
            body: request.body,
            key,
            receiver,
            request_id: request.id,
          })
          return reply.code(status).send(answer)
        },
      })
    }

    app.get(
      RECEIVER_CHECK_PATH,
      {
        schema: {
          summary: 'Check a hub API key; stores nothing',
          response: { 200: PushCheckAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const { receiver } = request.getDecorator<Opened>(OPENED)
        return {
          success: true as const,
          platform_name: receiver.platform_name,
          modules: receiver.modules,
        }
      },
    )
  }
}

/** The hub API key of a request; "" where there is none. */
function keyOf({ headers }: FastifyRequest): string {
  const header = headers[HUB_KEY_HEADER.toLowerCase()]
  return typeof header === 'string' ? header : ''
}
