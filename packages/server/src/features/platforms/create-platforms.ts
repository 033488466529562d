/** Registering platforms, their connections and manifests, and the SQL views of their modules. */
import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { connectionRoutes } from './connection-routes.ts'
import { manifestRoutes } from './manifest-routes.ts'
import { createRefreshInPassing } from './refresh-manifest.ts'
import { platformRoutes } from './routes.ts'
import { syncSqlViews } from './sync-sql-views.ts'

type ConnectionDeps = Parameters<typeof connectionRoutes>[0]

export function createPlatforms(
  deps: Pick<ConnectionDeps, 'requesterOf' | 'reauthenticate'> & {
    storage: Storage
    client: PlatformClient
    secrets: SecretBox
    clock: Clock
    log: FastifyBaseLogger
  },
) {
  const { storage, log } = deps
  const sqlViews = syncSqlViews({ ...storage, log })

  const routes: FastifyPluginAsync = async (app) => {
    await app.register(platformRoutes({ ...storage, ...deps }))
    await app.register(connectionRoutes({ ...storage, ...deps }))
    await app.register(manifestRoutes({ ...storage, ...deps }))
  }

  return {
    routes,
    /** Refreshes the manifest of a platform during a pull, if it is due. */
    refreshManifest: createRefreshInPassing({
      ...storage,
      ...deps,
      complain: (error, platform_id) =>
        log.error({ err: error, platform_id }, 'a manifest could not be refreshed'),
    }),
    /** Keeps the SQL views in sync with the modules. */
    start: sqlViews.start,
    stop: sqlViews.stop,
  }
}
