/** The integration guide, and the packages for owners of platforms. */
import type { FastifyPluginAsync } from 'fastify'
import type { Storage } from '../../storage/port/storage.ts'
import { downloadRoutes } from './download-routes.ts'
import { type GuideDeps, guideRoutes } from './guide-routes.ts'

export function createGuide(deps: Omit<GuideDeps, 'platforms'> & { storage: Storage }) {
  const { platforms } = deps.storage

  const routes: FastifyPluginAsync = async (app) => {
    await app.register(guideRoutes({ ...deps, platforms }))
    await app.register(downloadRoutes())
  }
  return { routes }
}
