import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { AutoSyncAnswer, ErrorAnswer, Snapshot } from '@recordhub/protocol'
import { ignoreBody } from '../../lib/net/ignore-body.ts'
import type { ReadSnapshot } from './read-snapshot.ts'

/** What the page asks for to stay fresh. */
export function dashboardRoutes(parts: { readSnapshot: ReadSnapshot }): FastifyPluginAsyncTypebox {
  return async (app) => {
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
        reply.header('ETag', etag)
        if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send(null)
        return reply.code(200).send(snapshot)
      },
    )

    app.register(async (anyBody) => {
      // Legacy pages still call this, with whatever body; it never does anything.
      ignoreBody(anyBody)
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
