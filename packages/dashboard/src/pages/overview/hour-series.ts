/** The figures of the last hours as lines and bars. */
import type { HourOfStatistics } from '@recordhub/protocol'

type Flow = Exclude<keyof HourOfStatistics, 'at'>

/** How much of a kind came in each hour. */
export function flowOf(hours: HourOfStatistics[], ...kinds: Flow[]): number[] {
  return hours.map((hour) => kinds.reduce((sum, kind) => sum + hour[kind], 0))
}

/** How many there were at the end of each hour, told by how many there are and what was added since. */
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

/** A bar an hour, named by its beginning in the viewer's zone: `7 AM`. */
export function toBars(hours: HourOfStatistics[], format = hourFormat): HourBar[] {
  return hours.map((hour) => ({
    hour: format.format(new Date(hour.at)),
    POST: hour.received_post,
    PATCH: hour.received_patch,
    Pull: hour.received_pull,
  }))
}
