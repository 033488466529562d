import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { AutoSyncResponse, ErrorResponse, Snapshot } from '@recordhub/protocol'
import { matchesEtag } from '../../lib/net/etag.ts'
import { ignoreBody } from '../../lib/net/ignore-body.ts'
import type { ReadSnapshot } from './read-snapshot.ts'

/** The routes that the page polls. */
export function dashboardRoutes(deps: { readSnapshot: ReadSnapshot }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/dashboard/realtime',
      {
        schema: {
          summary: 'Read the snapshot of the dashboard; performs no pull and no write',
          response: { 200: Snapshot, 304: Type.Null(), '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { snapshot, etag } = await deps.readSnapshot()
        reply.header('ETag', etag)
        if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send(null)
        return reply.code(200).send(snapshot)
      },
    )

    app.register(async (scope) => {
      // Legacy pages still send this request, with any body.
      ignoreBody(scope)
      scope.post(
        '/dashboard/auto-sync',
        {
          schema: {
            summary: 'Respond that browser auto-sync is disabled',
            response: { 200: AutoSyncResponse },
          },
        },
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
