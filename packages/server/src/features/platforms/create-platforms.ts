/** Registering platforms, their connections and manifests, and the SQL views of their modules. */

import type { PlatformCertificate } from '../../platform-client/request/dispatcher.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { createCheckerHub } from './checker-hub.ts'
import { conformanceRoutes } from './conformance-routes.ts'
import { type ConfirmAction, connectionRoutes } from './connection-routes.ts'
import { manifestRoutes } from './manifest-routes.ts'
import { platformRoutes } from './platform-routes.ts'
import { createManifestRefresher } from './refresh-manifest.ts'
import { syncSqlViews } from './sync-sql-views.ts'

export function createPlatforms(deps: FeatureDeps & { confirmAction: ConfirmAction }) {
  const { client, clock, log, version } = deps
  const hub = createCheckerHub(client, clock, version)
  const sqlViews = syncSqlViews(deps)

  return {
    routes: [
      ...platformRoutes(deps),
      ...connectionRoutes(deps),
      ...manifestRoutes(deps),
      ...conformanceRoutes({ ...deps, hub }),
    ],
    refreshManifest: createManifestRefresher({
      ...deps,
      onError: (error, platform_id) =>
        log.error({ err: error, platform_id }, 'a manifest could not be refreshed'),
    }),
    start: sqlViews.start,
    stop: sqlViews.stop,
  }
}

/** Stores until when the certificates of platforms are valid, as connections to the platforms present them. */
export function createCertificateRecorder(
  deps: Pick<FeatureDeps, 'connections' | 'clock' | 'log'>,
) {
  const { connections, clock, log } = deps
  return async ({ origin, expires_at }: PlatformCertificate): Promise<void> => {
    try {
      const read_at = clock.now().toISOString()
      await connections.recordCertificate({ origin, expires_at, read_at })
    } catch (error) {
      log.warn({ err: error, origin }, 'the certificate of a platform could not be stored')
    }
  }
}
