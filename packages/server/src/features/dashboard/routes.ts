import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { AutoSyncAnswer, ErrorAnswer, Snapshot } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/caller.ts'
import { HubError } from '../../errors.ts'
import { loadAssets } from './load-assets.ts'
import { dashboardPage, setupPage, signInPage } from './pages.ts'
import type { ReadSnapshot } from './read-snapshot.ts'

/** The pages and what they ask for. */
export function dashboardRoutes(parts: {
  readSnapshot: ReadSnapshot
  callerOf: (request: FastifyRequest) => Caller
  csrfTokenOf: (sessionId: string) => string
  hasOperators: () => Promise<boolean>
}): FastifyPluginAsyncTypebox {
  const { files, addresses } = loadAssets()
  return async (app) => {
    app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/dashboard'))

    app.get(
      '/dashboard',
      { schema: { hide: true }, config: { page: true } },
      async (request, reply) => {
        const caller = parts.callerOf(request)
        if (caller.kind !== 'operator') throw new HubError('not_signed_in')
        const csrfToken = parts.csrfTokenOf(caller.sessionId)
        return sendPage(reply, dashboardPage(addresses, { email: caller.email, csrfToken }))
      },
    )

    app.get('/sign-in', { schema: { hide: true } }, (_request, reply) =>
      sendPage(reply, signInPage(addresses)),
    )

    app.get('/setup', { schema: { hide: true } }, async (_request, reply) => {
      if (await parts.hasOperators()) return reply.redirect('/sign-in')
      return sendPage(reply, setupPage(addresses))
    })

    app.get(
      '/assets/:name',
      { schema: { hide: true, params: Type.Object({ name: Type.String() }) } },
      async (request, reply) => {
        const file = files.get(request.params.name)
        if (!file) throw new HubError('not_found', { what: 'file' })
        reply.header('Cache-Control', 'public, max-age=31536000, immutable')
        return reply.type(file.type).send(file.content)
      },
    )

    app.get(
      '/dashboard/realtime',
      {
        schema: {
          summary: 'What the dashboard shows; pulls nothing and writes nothing',
          response: { 200: Snapshot, 304: Type.Null(), '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const { snapshot, etag } = await parts.readSnapshot()
        reply.header('ETag', etag).header('Cache-Control', 'private, no-cache')
        if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send(null)
        return reply.code(200).send(snapshot)
      },
    )

    app.register(async (anyBody) => {
      // Legacy pages still call this, with whatever body; it never does anything.
      anyBody.removeAllContentTypeParsers()
      anyBody.addContentTypeParser('*', (_request, _payload, done) => done(null))
      // Not even a Content-Type that is none is looked at.
      anyBody.addHook('onRequest', async (request) => {
        delete request.raw.headers['content-type']
      })
      anyBody.post(
        '/dashboard/auto-sync',
        { schema: { summary: 'Does nothing and says so', response: { 200: AutoSyncAnswer } } },
        async () => ({
          success: true as const,
          status: 'idle' as const,
          message:
            'Browser auto-sync is disabled. Automatic pulling is handled by the server-side scheduler and background jobs.',
        }),
      )
    })
  }
}

/** A proxy may weaken a tag, and a browser may send several (RFC 9110, section 13.1.2). */
function hasVersion(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(text)
}
