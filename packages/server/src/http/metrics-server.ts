import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { registerRoutes } from '../lib/net/register-routes.ts'
import { createHttpServer, type HttpSettings } from './server.ts'

/** For scrapers and health checks only. */
const LIMITS = { connections: 100 }
const NOBODY = { findOperator: async () => null, findProgram: async () => null }

/** Creates the server of a second port, which serves only the metrics and the health checks. */
export async function createMetricsServer(
  settings: HttpSettings,
  routes: readonly FastifyPluginAsync[],
): Promise<{ app: FastifyInstance }> {
  const { app } = await createHttpServer({ ...settings, limits: LIMITS }, NOBODY, () => '')
  for (const plugin of routes) await registerRoutes(app, plugin)
  return { app }
}
