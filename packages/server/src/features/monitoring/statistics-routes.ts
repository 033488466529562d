import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorResponse, Statistics } from '@recordhub/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import type { StatisticsStore } from '../../storage/port/statistics-store.ts'
import { readHours } from './read-hours.ts'

const DAY = 24
const MAX_HOURS = 31 * DAY

export function statisticsRoutes(deps: {
  statistics: StatisticsStore
  clock: Clock
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/statistics',
      {
        schema: {
          summary: 'Read the hourly statistics',
          querystring: Type.Object(
            { hours: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_HOURS })) },
            { additionalProperties: false },
          ),
          response: { 200: Statistics, '4xx': ErrorResponse },
        },
      },
      async (request) => ({
        success: true as const,
        hours: await readHours(deps, request.query.hours ?? DAY),
      }),
    )
  }
}
