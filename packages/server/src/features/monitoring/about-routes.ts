import { hostname } from 'node:os'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { About, ErrorAnswer } from '@recordhub/protocol'
import type { KeptDays } from '../../domain/activity/retention.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Storage } from '../../storage/port/storage.ts'

/** What an operator wants to know of the hub itself. */
export function aboutRoutes(
  parts: {
    version: string
    clock: Clock
    broadcasting: boolean
    timeZone: string
    kept: KeptDays
    activityLines: number
    /** Rejects where the hub cannot do its work. */
    checkReady: () => Promise<void>
  } & Pick<Storage, 'readEngine' | 'readDiskSpace'>,
): FastifyPluginAsyncTypebox {
  const { version, clock, broadcasting, timeZone, kept, activityLines, checkReady } = parts
  const started_at = clock.now().toISOString()
  return async (app) => {
    app.get(
      '/api/v1/about',
      {
        schema: {
          summary: 'The hub itself: version, engine, size, health and what it keeps how long',
          response: {
            200: Type.Object({ success: Type.Literal(true), about: About }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async () => {
        const [engine, disk, healthy] = await Promise.all([
          parts.readEngine(),
          parts.readDiskSpace(),
          checkReady().then(
            () => true,
            () => false,
          ),
        ])
        return {
          success: true as const,
          about: {
            version,
            node: hostname(),
            node_version: process.version,
            started_at,
            healthy,
            ...engine,
            disk_free_bytes: disk?.available ?? null,
            broadcasting,
            time_zone: timeZone,
            retention: { days: { ...kept }, activity_lines: activityLines },
          },
        }
      },
    )
  }
}
