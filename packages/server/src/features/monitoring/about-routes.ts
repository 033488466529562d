import { hostname } from 'node:os'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { About, ErrorResponse } from '@recordhub/protocol'
import type { RetentionDays } from '../../domain/activity/retention.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Storage } from '../../storage/port/storage.ts'

/** Version, engine, health and retention of the hub. */
export function aboutRoutes(
  deps: {
    version: string
    publicUrl: string
    clock: Clock
    broadcasting: boolean
    timeZone: string
    retentionDays: RetentionDays
    activityEntries: number
    /** Rejects if the database does not accept writes. */
    checkReady: () => Promise<void>
  } & Pick<Storage, 'readEngine' | 'readDiskSpace'>,
): FastifyPluginAsyncTypebox {
  const { version, clock, broadcasting, timeZone, retentionDays, activityEntries, checkReady } =
    deps
  const started_at = clock.now().toISOString()
  return async (app) => {
    app.get(
      '/api/v1/about',
      {
        schema: {
          summary: 'Read the version, engine, size, health and retention of the hub',
          response: {
            200: Type.Object({ success: Type.Literal(true), about: About }),
            '4xx': ErrorResponse,
          },
        },
      },
      async () => {
        const [engine, disk, healthy] = await Promise.all([
          deps.readEngine(),
          deps.readDiskSpace(),
          checkReady().then(
            () => true,
            () => false,
          ),
        ])
        return {
          success: true as const,
          about: {
            version,
            public_url: deps.publicUrl,
            node: hostname(),
            node_version: process.version,
            started_at,
            healthy,
            ...engine,
            disk_free_bytes: disk?.available ?? null,
            broadcasting,
            time_zone: timeZone,
            retention: { days: { ...retentionDays }, activity_entries: activityEntries },
          },
        }
      },
    )
  }
}
