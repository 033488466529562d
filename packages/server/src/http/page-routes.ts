import { relative } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../domain/auth/caller.ts'
import { HubError } from '../errors.ts'
import { loadPage } from './load-page.ts'

/** As Vite names what it built: a hash of the content before the ending. */
const HASHED_NAME = /-[\w-]{8}\.\w+(?:\.(?:br|gz))?$/
const FOR_EVER = 'public, max-age=31536000, immutable'
const FOR_A_WHILE = 'public, max-age=3600'
const SVG = 'image/svg+xml; charset=utf-8'

/** The one page that the browser fills, at all of its addresses, and its files. */
export function pageRoutes(parts: {
  callerOf: (request: FastifyRequest) => Caller
  csrfTokenOf: (sessionId: string) => string
  hasOperators: () => Promise<boolean>
}): FastifyPluginAsyncTypebox {
  const page = loadPage()

  function sendPage(reply: FastifyReply, csrfToken: string): FastifyReply {
    const text = page.render({ csrfToken, nonce: reply.cspNonce.style })
    return reply.type('text/html; charset=utf-8').send(text)
  }

  return async (app) => {
    await app.register(fastifyStatic, {
      root: page.assetsFolder,
      prefix: '/assets/',
      schemaHide: true,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, path) {
        const isHashed = HASHED_NAME.test(relative(page.assetsFolder, path))
        reply.header('Cache-Control', isHashed ? FOR_EVER : FOR_A_WHILE)
        if (path.endsWith('.svg')) reply.header('Content-Type', SVG)
      },
    })

    app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/dashboard'))

    for (const url of ['/dashboard', '/dashboard/*']) {
      app.get(url, { schema: { hide: true }, config: { page: true } }, async (request, reply) => {
        const caller = parts.callerOf(request)
        if (caller.kind !== 'operator') throw new HubError('not_signed_in')
        return sendPage(reply, parts.csrfTokenOf(caller.sessionId))
      })
    }

    for (const url of ['/sign-in', '/invitation']) {
      app.get(url, { schema: { hide: true } }, (_request, reply) => sendPage(reply, ''))
    }

    app.get('/setup', { schema: { hide: true } }, async (_request, reply) => {
      if (await parts.hasOperators()) return reply.redirect('/sign-in')
      return sendPage(reply, '')
    })
  }
}
