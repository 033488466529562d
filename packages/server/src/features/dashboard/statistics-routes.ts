import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, type HourOfStatistics, PlatformPulls, Statistics } from '@recordhub/protocol'
import { hourOf, hourText } from '../../domain/push-rhythm.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PullStore } from '../../storage/port/pull-store.ts'
import { QUIET_HOUR, type StatisticsStore } from '../../storage/port/statistics-store.ts'

const DAY = 24
const MAX_HOURS = 31 * DAY
const PULLS = 30
/** As many as a page shows. */
const MAX_PLATFORMS = 50

type Parts = {
  statistics: StatisticsStore
  pulls: Pick<PullStore, 'listPlatformPulls'>
  clock: Clock
}

/** Figures over time, for the dashboard's overview. */
export function statisticsRoutes(parts: Parts): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/statistics',
      {
        schema: {
          summary: 'What came in each of the last hours',
          querystring: Type.Object(
            { hours: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_HOURS })) },
            { additionalProperties: false },
          ),
          response: { 200: Statistics, '4xx': ErrorAnswer },
        },
      },
      async (request) => ({
        success: true as const,
        hours: await readHours(parts, request.query.hours ?? DAY),
      }),
    )

    app.get(
      '/api/v1/statistics/pulls',
      {
        schema: {
          summary: `The ${PULLS} latest pulls of some platforms, in short`,
          querystring: Type.Object(
            {
              platforms: Type.String({
                pattern: `^[1-9]\\d{0,14}(,[1-9]\\d{0,14}){0,${MAX_PLATFORMS - 1}}$`,
                description: `Their ids with commas between, at most ${MAX_PLATFORMS}`,
              }),
            },
            { additionalProperties: false },
          ),
          response: { 200: PlatformPulls, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const ids = [...new Set(request.query.platforms.split(',').map(Number))]
        const platforms: PlatformPulls['platforms'] = []
        for (const platform_id of ids) {
          const pulls = await parts.pulls.listPlatformPulls({
            platform_id,
            limit: PULLS,
            before: null,
          })
          platforms.push({ platform_id, pulls })
        }
        return { success: true as const, platforms }
      },
    )
  }
}

/** This hour is the last one. */
async function readHours({ statistics, clock }: Parts, count: number): Promise<HourOfStatistics[]> {
  const last = hourOf(clock.now())
  const names = Array.from({ length: count }, (_, index) => hourText(last - count + 1 + index))
  const found = await statistics.readHours(hourText(last - count + 1), hourText(last))
  const byHour = new Map(found.map(({ hour, ...figures }) => [hour, figures]))
  return names.map((name) => ({ at: `${name}:00:00.000Z`, ...(byHour.get(name) ?? QUIET_HOUR) }))
}
