/** Reading, exporting and erasing records. */

import type { FastifyPluginAsync } from 'fastify'
import { toPlugin } from '../../http/route.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { changeRoutes } from './change-routes.ts'
import { erasureRoutes } from './erasure-routes.ts'
import { exportRoutes } from './export-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { recordListRoutes } from './list-records.ts'
import { searchRecords } from './search-records.ts'
import { valueRoutes } from './value-routes.ts'
import { viewRoutes } from './view-routes.ts'

export function createRecords(
  deps: FeatureDeps & { requesterOf: Parameters<typeof erasureRoutes>[0]['requesterOf'] },
) {
  const { storage } = deps

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, recordListRoutes(storage))
    await registerRoutes(app, toPlugin([...viewRoutes(storage), ...valueRoutes(storage)]))
    await registerRoutes(app, exportRoutes({ ...storage, ...deps }))
    await registerRoutes(app, historyRoutes(storage))
    await registerRoutes(app, changeRoutes(storage))
    await registerRoutes(app, erasureRoutes({ ...storage, ...deps }))
  }

  return {
    routes,
    searchRecords: (q: string, limit: number) => searchRecords(storage, q, limit),
  }
}
