/** For Fastify: `app.register(toFastifyPlugin(handler))`. */
import { Readable } from 'node:stream'
import type { PlatformHandler } from './handler.ts'

type FastifyRequest = {
  raw: { url?: string; method?: string }
  headers: Record<string, string | string[] | undefined>
}
type FastifyReply = {
  raw: { once: (event: 'close', listener: () => void) => unknown }
  code: (status: number) => FastifyReply
  header: (name: string, value: string) => FastifyReply
  send: (body: unknown) => unknown
  callNotFound: () => unknown
}
type Fastify = {
  get: (
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) => unknown
}

export function toFastifyPlugin(
  handler: PlatformHandler,
  options: { pathWord?: string } = {},
): (app: Fastify) => Promise<void> {
  return async (app) => {
    app.get(`/api/${options.pathWord ?? 'hub'}/*`, async (request, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const headers = new Headers()
      for (const [name, value] of Object.entries(request.headers)) {
        if (value !== undefined) headers.set(name, [value].flat().join(', '))
      }
      const url = new URL(request.raw.url ?? '/', 'http://platform')
      const answer = await handler(new Request(url, { headers, signal: gone.signal }))
      if (answer === null) return reply.callNotFound()
      reply.code(answer.status)
      for (const [name, value] of answer.headers) reply.header(name, value)
      return reply.send(answer.body === null ? null : Readable.fromWeb(answer.body))
    })
  }
}
