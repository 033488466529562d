/** Reading, exporting and erasing records. */

import type { FastifyPluginAsync } from 'fastify'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Tracer } from '../../lib/tracing/tracer.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { changeRoutes } from './change-routes.ts'
import { erasureRoutes } from './erasure-routes.ts'
import { exportRoutes } from './export-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { listRecords, recordListRoutes } from './list-records.ts'
import { viewRoutes } from './view-routes.ts'

export function createRecords(deps: {
  storage: Storage
  clock: Clock
  tracer: Tracer | null
  callerOf: Parameters<typeof viewRoutes>[0]['callerOf']
  requesterOf: Parameters<typeof erasureRoutes>[0]['requesterOf']
}) {
  const { storage } = deps

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, recordListRoutes(storage))
    await registerRoutes(app, viewRoutes({ ...storage, ...deps }))
    await registerRoutes(app, exportRoutes({ ...storage, ...deps }))
    await registerRoutes(app, historyRoutes(storage))
    await registerRoutes(app, changeRoutes(storage))
    await registerRoutes(app, erasureRoutes({ ...storage, ...deps }))
  }

  return {
    routes,
    searchRecords: (q: string, limit: number) => listRecords(storage, { parameters: { q }, limit }),
  }
}
