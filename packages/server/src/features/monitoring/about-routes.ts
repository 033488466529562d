import { hostname } from 'node:os'
import { About } from '@recordhub/protocol'
import { toRetentionDays } from '../../config/feature-settings.ts'
import { route } from '../../http/route.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** Version, engine, health and retention of the hub. */
export function aboutRoutes(
  deps: Pick<FeatureDeps, 'readEngine' | 'readDiskSpace' | 'config' | 'version' | 'clock'> & {
    /** Rejects if the database does not accept writes. */
    checkReady: () => Promise<void>
  },
) {
  const { config, version, clock, checkReady } = deps
  const started_at = clock.now().toISOString()
  return [
    route('GET /api/v1/about', {
      summary: 'Read the version, engine, size, health and retention of the hub',
      response: { about: About },
      async handle() {
        const [engine, disk, healthy] = await Promise.all([
          deps.readEngine(),
          deps.readDiskSpace(),
          checkReady().then(
            () => true,
            () => false,
          ),
        ])
        const about = {
          version,
          public_url: config.HUB_PUBLIC_URL,
          node: hostname(),
          node_version: process.version,
          started_at,
          healthy,
          ...engine,
          disk_free_bytes: disk?.available ?? null,
          broadcasting: config.HUB_BROADCAST,
          time_zone: config.HUB_TIME_ZONE,
          retention: {
            days: toRetentionDays(config),
            activity_entries: config.HUB_RETENTION_ACTIVITY_LINES,
          },
        }
        return { about }
      },
    }),
  ]
}
