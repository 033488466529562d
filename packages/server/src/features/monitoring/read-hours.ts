import type { HourOfStatistics } from '@recordhub/protocol'
import { hourOf, hourText } from '../../domain/alerts/push-baseline.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { EMPTY_HOUR, type StatisticsStore } from '../../storage/port/statistics-store.ts'

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
