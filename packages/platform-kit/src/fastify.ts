/** The adapter for Fastify: `app.register(toFastifyPlugin(handler))`, with or without a prefix. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlatformHandler } from './handler.ts'
import { toNodeListener } from './node.ts'

type Fastify = {
  prefix: string
  all: (
    path: string,
    handler: (
      request: { raw: IncomingMessage },
      reply: { raw: ServerResponse; hijack: () => unknown },
    ) => void,
  ) => unknown
}

export function toFastifyPlugin(handler: PlatformHandler): (app: Fastify) => Promise<void> {
  const listener = toNodeListener(handler)
  return async (app) => {
    app.all(`${handler.path}*`, (request, reply) => {
      // A stream must abort the response if reading fails, which replies of Fastify do not allow.
      reply.hijack()
      const { raw } = request
      raw.url = raw.url?.slice(app.prefix.length) ?? ''
      listener(raw, reply.raw)
    })
  }
}
