import { type HourOfStatistics, Statistics } from '@recordhub/protocol'
import { Type } from 'typebox'
import { hourOf, hourText } from '../../domain/alerts/push-baseline.ts'
import { route } from '../../http/route.ts'
import { EMPTY_HOUR } from '../../storage/port/statistics-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const DAY = 24
const MAX_HOURS = 31 * DAY

export function statisticsRoutes(deps: Pick<FeatureDeps, 'statistics' | 'clock'>) {
  return [
    route('GET /api/v1/statistics', {
      summary: 'Read the hourly statistics',
      query: { hours: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_HOURS })) },
      response: Statistics.properties,
      handle: async ({ query: { hours = DAY } }) => ({ hours: await readHours(deps, hours) }),
    }),
  ]
}

/** Reads the statistics of the last `count` hours, oldest first. The current hour is the last one. */
export async function readHours(
  { statistics, clock }: Pick<FeatureDeps, 'statistics' | 'clock'>,
  count: number,
): Promise<HourOfStatistics[]> {
  const last = hourOf(clock.now())
  const names = Array.from({ length: count }, (_, index) => hourText(last - count + 1 + index))
  const found = await statistics.readHours(hourText(last - count + 1), hourText(last))
  const byHour = new Map(found.map(({ hour, ...figures }) => [hour, figures]))
  return names.map((name) => ({ at: `${name}:00:00.000Z`, ...(byHour.get(name) ?? EMPTY_HOUR) }))
}
