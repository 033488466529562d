import {
  type HourOfStatistics,
  type MinuteOfStatistics,
  RecentStatistics,
  Statistics,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { hourOf, hourText } from '../../domain/alerts/push-baseline.ts'
import { route } from '../../http/route.ts'
import { shareCalls } from '../../lib/concurrency/memoize-async.ts'
import { EMPTY_HOUR } from '../../storage/port/statistics-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const DAY = 24
const MAX_HOURS = 31 * DAY
const MINUTES = 60
const MINUTE_MS = 60_000

type Deps = Pick<FeatureDeps, 'statistics' | 'activity' | 'pulls' | 'clock'>

export function statisticsRoutes(deps: Deps) {
  // The last hour of a busy hub is read once for all who look at it.
  const readLatest = shareCalls(() => readMinutes(deps))
  return [
    route('GET /api/v1/statistics', {
      summary: 'Read the hourly statistics',
      query: { hours: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_HOURS })) },
      response: Statistics.properties,
      handle: async ({ query: { hours = DAY } }) => ({ hours: await readHours(deps, hours) }),
    }),
    route('GET /api/v1/statistics/minutes', {
      summary: 'Read the statistics of the last hour by minute',
      response: RecentStatistics.properties,
      handle: async () => ({ minutes: await readLatest() }),
    }),
  ]
}

/** Reads the last 60 minutes, oldest first, or fewer if the pushes of the first ones could not be read. */
async function readMinutes({ activity, pulls, clock }: Deps): Promise<MinuteOfStatistics[]> {
  const last = Math.floor(clock.now().getTime() / MINUTE_MS)
  const at = (minute: number) => new Date(minute * MINUTE_MS).toISOString()
  const since = at(last - MINUTES + 1)
  const { from, minutes } = await activity.countPushesByMinute({ since })
  const pushed = new Map(minutes.map((one) => [one.minute, one]))
  const pulled = new Map((await pulls.countPulledByMinute(since)).map((one) => [one.minute, one]))
  return Array.from({ length: MINUTES }, (_, index) => at(last - MINUTES + 1 + index))
    .map((start) => ({ start, name: start.slice(0, 16) }))
    .filter(({ name }) => name >= from)
    .map(({ start, name }) => ({
      at: start,
      pushes: pushed.get(name)?.accepted ?? 0,
      rejected: pushed.get(name)?.rejected ?? 0,
      pulled: pulled.get(name)?.pulled ?? 0,
      pulls: pulled.get(name)?.pulls ?? 0,
      pulls_failed: pulled.get(name)?.pulls_failed ?? 0,
    }))
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
