/** For Fastify: `app.register(toFastifyPlugin(handler))`, with a prefix or without. */
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
      // Streams have to break off where reading fails, which Fastify's own answers do not let them.
      reply.hijack()
      const { raw } = request
      raw.url = raw.url?.slice(app.prefix.length) ?? ''
      listener(raw, reply.raw)
    })
  }
}
