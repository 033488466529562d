import { Readable } from 'node:stream'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorResponse } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { Broadcaster } from './broadcast.ts'

/** The first message: the browser reconnects after this time. */
const RETRY = 'retry: 5000\n\n'
const HEARTBEAT = ': heartbeat\n\n'

const EVENTS = {
  description: 'An event per change; its data lists the reasons: records, pull, …',
  content: {
    'text/event-stream': { schema: Type.Unsafe<Readable>({ type: 'string' }) },
  },
}

/** Server-sent events that notify pages of changes, without their content. */
export function eventRoutes(deps: {
  /** Null if broadcasting is off. */
  broadcaster: Broadcaster | null
  /** The pause between two heartbeats: proxies close connections without traffic. */
  heartbeatMs: number
}): FastifyPluginAsyncTypebox {
  const { broadcaster, heartbeatMs } = deps
  return async (app) => {
    app.get(
      '/dashboard/events',
      {
        exposeHeadRoute: false,
        compress: false,
        schema: {
          summary: 'Subscribe to server-sent events about changes; requires HUB_BROADCAST',
          response: { 200: EVENTS, '4xx': ErrorResponse },
        },
      },
      async (_, reply) => {
        if (!broadcaster) throw HubError.withMessage('not_found', OFF)
        const { stream, write, end } = openStream()
        const unsubscribe = broadcaster.subscribe({
          onChange: (reasons) => write(`data: ${reasons.join(',')}\n\n`),
          onEnd: end,
        })
        const heartbeat = setInterval(() => write(HEARTBEAT), heartbeatMs)
        heartbeat.unref()
        stream.once('close', () => {
          clearInterval(heartbeat)
          unsubscribe()
        })
        reply.header('X-Accel-Buffering', 'no')
        return reply.code(200).type('text/event-stream; charset=utf-8').send(stream)
      },
    )
  }
}

const OFF = 'Broadcasting is off (HUB_BROADCAST). The dashboard polls every 10 s instead.'

function openStream() {
  const stream = new Readable({ read: () => undefined })
  let isClosed = false
  stream.once('close', () => {
    isClosed = true
  })
  stream.push(RETRY)
  return {
    stream,
    /** Skips the message if the client has not read the previous one, which has the same effect. */
    write(text: string): void {
      if (!isClosed && stream.readableLength === 0) stream.push(text)
    },
    end(): void {
      if (!isClosed) stream.push(null)
      isClosed = true
    },
  }
}
