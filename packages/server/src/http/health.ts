import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { HubError, storageUnavailable } from '../errors.ts'

/** Whether the process lives, and whether it can do its work. */
export function healthRoutes(parts: {
  checkReady: () => Promise<void>
}): FastifyPluginAsyncTypebox {
  const schema = (summary: string) => ({
    summary,
    response: { 200: Type.Object({ success: Type.Literal(true), status: Type.String() }) },
  })
  return async (app) => {
    app.get('/healthz', { schema: schema('Whether the process answers') }, async () => ({
      success: true as const,
      status: 'alive',
    }))
    app.get('/readyz', { schema: schema('Whether the database takes writes') }, async () => {
      try {
        await parts.checkReady()
        return { success: true as const, status: 'ready' }
      } catch (error) {
        if (error instanceof HubError) throw error
        throw storageUnavailable(error)
      }
    })
  }
}
