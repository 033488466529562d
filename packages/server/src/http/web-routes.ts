import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { registerRoutes } from '../lib/net/http.ts'
import type { MonotonicClock } from '../lib/time/clock.ts'
import { apiReferenceRoutes } from './openapi.ts'
import { pageRoutes } from './page-routes.ts'
import { limitRate } from './rate-limit.ts'
import { setPageHeaders } from './response-headers.ts'
import { type Route, toPlugin } from './route.ts'

/** Registers the routes for operators and programs with their headers and limits, the API reference and the page. */
export async function registerWebRoutes(
  app: FastifyInstance,
  deps: {
    routes: readonly Route[]
    downloadRoutes: FastifyPluginAsync
    /** Maximum number of requests per second of one caller; 0 for no limit. */
    perSecond: number
    monotonicClock: MonotonicClock
    csrfTokenOf: (sessionId: string) => string
    hasOperators: () => Promise<boolean>
  },
): Promise<void> {
  await app.register(async (web) => {
    await setPageHeaders(web)
    limitRate(web, deps)
    const { routes, downloadRoutes } = deps
    for (const plugin of [toPlugin(routes), downloadRoutes, apiReferenceRoutes, pageRoutes(deps)]) {
      await registerRoutes(web, plugin)
    }
  })
}
