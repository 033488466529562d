/** Chart data from the hourly statistics. */
import type { HourOfStatistics } from '@recordhub/protocol'

type Flow = Exclude<keyof HourOfStatistics, 'at'>

/** The sum of some counters in each hour. */
export function flowOf(hours: HourOfStatistics[], ...kinds: Flow[]): number[] {
  return hours.map((hour) => kinds.reduce((sum, kind) => sum + hour[kind], 0))
}

/** The total at the end of each hour, calculated from the current total and the additions since. */
export function levelOf(now: number, added: number[]): number[] {
  let level = now
  return added
    .toReversed()
    .map((count) => {
      const before = level
      level = Math.max(0, level - count)
      return before
    })
    .reverse()
}

const hourFormat = new Intl.DateTimeFormat('en-US', { hour: 'numeric', hour12: true })

export type HourBar = { hour: string; POST: number; PATCH: number; Pull: number }

/** One bar per hour, labelled with its start in the viewer's time zone: `7 AM`. */
export function toBars(hours: HourOfStatistics[], format = hourFormat): HourBar[] {
  return hours.map((hour) => ({
    hour: format.format(new Date(hour.at)),
    POST: hour.received_post,
    PATCH: hour.received_patch,
    Pull: hour.received_pull,
  }))
}
