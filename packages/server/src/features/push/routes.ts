import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ChangedRecordPush,
  ErrorAnswer,
  HUB_KEY_HEADER,
  NewRecordPush,
  PushAnswer,
  PushCheckAnswer,
  RECEIVER_CHECK_PATH,
  RECEIVER_PATH,
} from '@recordhub/protocol'
import { HubError, tooManyRequests } from '../../errors.ts'
import type { MonotonicClock } from '../../lib/clock.ts'
import { createRateLimit } from '../../lib/rate-limit.ts'
import type { Receiver } from '../../storage/port/platform-store.ts'
import type { ReceiverFinder } from './find-receiver.ts'
import type { ReceivePush } from './receive-push.ts'

/** What the key of a request opens. */
type Opened = { key: string; receiver: Receiver }
const OPENED = 'receiver'

/** The receiver that platforms push to. */
export function pushRoutes(options: {
  receivers: ReceiverFinder
  receivePush: ReceivePush
  /** Pushes a second for each platform; 0 for no limit. */
  ratePerSecond: number
  monotonicClock: MonotonicClock
}): FastifyPluginAsyncTypebox {
  const { receivers, receivePush, ratePerSecond } = options
  const rateLimit =
    ratePerSecond > 0 ? createRateLimit(ratePerSecond, options.monotonicClock) : null
  return async (app) => {
    app.decorateRequest(OPENED)
    // Before the body is read: a caller without a key costs little and is told nothing else.
    app.addHook('onRequest', async (request) => {
      const header = request.headers[HUB_KEY_HEADER.toLowerCase()]
      const key = typeof header === 'string' ? header : ''
      const receiver = await receivers.find(key)
      if (!receiver) throw new HubError('api_key_invalid')
      request.setDecorator<Opened>(OPENED, { key, receiver })
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
