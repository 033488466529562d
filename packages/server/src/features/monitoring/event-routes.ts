import { Readable } from 'node:stream'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { Broadcaster } from './broadcast.ts'

/** After so long the browser connects anew. */
const OPENING = 'retry: 5000\n\n'
const HEARTBEAT = ': still here\n\n'

const EVENTS = {
  description: 'An event whenever something has changed; its data is why: records, pull, …',
  content: {
    'text/event-stream': { schema: Type.Unsafe<Readable>({ type: 'string' }) },
  },
}

/** Server-sent events: that something has changed, and nothing of what. */
export function eventRoutes(parts: {
  /** Null where broadcasting is off. */
  broadcaster: Broadcaster | null
  /** Whether the session of a request still holds; does not keep it alive. */
  isSignedIn: (request: FastifyRequest) => Promise<boolean>
  /** Milliseconds; proxies cut off what is silent for long. */
  heartbeatMs: number
}): FastifyPluginAsyncTypebox {
  const { broadcaster, isSignedIn, heartbeatMs } = parts
  return async (app) => {
    app.get(
      '/dashboard/events',
      {
        exposeHeadRoute: false,
        compress: false,
        schema: {
          summary: 'That something has changed, as server-sent events, where HUB_BROADCAST is on',
          response: { 200: EVENTS, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        if (!broadcaster) throw HubError.withMessage('not_found', OFF)
        const { stream, write, end } = openStream()
        const unsubscribe = broadcaster.subscribe({
          onChange: (reasons) => write(`data: ${reasons.join(',')}\n\n`),
          onEnd: end,
        })
        const heart = setInterval(async () => {
          // A database that is away for a moment has ended no session.
          const holds = await isSignedIn(request).catch(() => true)
          if (holds) write(HEARTBEAT)
          else end()
        }, heartbeatMs)
        heart.unref()
        stream.once('close', () => {
          clearInterval(heart)
          unsubscribe()
        })
        reply.header('X-Accel-Buffering', 'no')
        return reply.code(200).type('text/event-stream; charset=utf-8').send(stream)
      },
    )
  }
}

const OFF =
  'Broadcasting is off (HUB_BROADCAST). The dashboard asks for what is new every 10 s without it.'

function openStream() {
  const stream = new Readable({ read: () => undefined })
  let isOver = false
  stream.once('close', () => {
    isOver = true
  })
  stream.push(OPENING)
  return {
    stream,
    /** Whoever does not read what was written before is told nothing more: it says the same. */
    write(text: string): void {
      if (!isOver && stream.readableLength === 0) stream.push(text)
    },
    end(): void {
      if (!isOver) stream.push(null)
      isOver = true
    },
  }
}
