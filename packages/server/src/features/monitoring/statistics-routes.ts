import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorResponse, type HourOfStatistics, Statistics } from '@recordhub/protocol'
import { hourOf, hourText } from '../../domain/alerts/push-baseline.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { EMPTY_HOUR, type StatisticsStore } from '../../storage/port/statistics-store.ts'

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

/** Reads the statistics of the last `count` hours, oldest first. The current hour is the last one. */
export async function readHours(
  { statistics, clock }: { statistics: StatisticsStore; clock: Clock },
  count: number,
): Promise<HourOfStatistics[]> {
  const last = hourOf(clock.now())
  const names = Array.from({ length: count }, (_, index) => hourText(last - count + 1 + index))
  const found = await statistics.readHours(hourText(last - count + 1), hourText(last))
  const byHour = new Map(found.map(({ hour, ...figures }) => [hour, figures]))
  return names.map((name) => ({ at: `${name}:00:00.000Z`, ...(byHour.get(name) ?? EMPTY_HOUR) }))
}
