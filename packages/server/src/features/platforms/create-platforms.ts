/** Registering platforms, their connections and manifests, and the SQL views of their modules. */

import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { ReportJobFailure } from '../../domain/alerts/job-failures.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { createCheckerHub } from './checker-hub.ts'
import { conformanceRoutes } from './conformance-routes.ts'
import { connectionRoutes } from './connection-routes.ts'
import { manifestRoutes } from './manifest-routes.ts'
import { platformRoutes } from './platform-routes.ts'
import { createManifestRefresher } from './refresh-manifest.ts'
import { syncSqlViews } from './sync-sql-views.ts'

type ConnectionDeps = Parameters<typeof connectionRoutes>[0]

export function createPlatforms(
  deps: Pick<ConnectionDeps, 'requesterOf' | 'confirmAction'> & {
    storage: Storage
    client: PlatformClient
    secrets: SecretBox
    clock: Clock
    log: FastifyBaseLogger
    version: string
    reportJobFailure: ReportJobFailure
  },
) {
  const { storage, client, clock, log, version } = deps
  const hub = createCheckerHub(client, clock, version)
  const sqlViews = syncSqlViews({
    ...{ ...storage, log },
    onError: (error) => deps.reportJobFailure('SQL views', error),
  })

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, platformRoutes({ ...storage, ...deps }))
    await registerRoutes(app, connectionRoutes({ ...storage, ...deps }))
    await registerRoutes(app, manifestRoutes({ ...storage, ...deps }))
    await registerRoutes(app, conformanceRoutes({ ...storage, ...deps, hub }))
  }

  return {
    routes,
    /** Refreshes the manifest of a platform during a pull, if it is due. */
    refreshManifest: createManifestRefresher({
      ...storage,
      ...deps,
      onError: (error, platform_id) =>
        log.error({ err: error, platform_id }, 'a manifest could not be refreshed'),
    }),
    /** Keeps the SQL views in sync with the modules. */
    start: sqlViews.start,
    stop: sqlViews.stop,
  }
}
