/** The bars of the charts, from the hourly statistics. */
import type { HourOfStatistics } from '@recordhub/protocol'

export const RANGES = {
  '24h': { label: '24 h', hours: 24, perBar: 1, unit: 'per hour' },
  '7d': { label: '7 d', hours: 168, perBar: 6, unit: 'per 6 hours' },
  '30d': { label: '30 d', hours: 720, perBar: 24, unit: 'per day' },
} as const
export type Range = keyof typeof RANGES

export function rangeOf(text: string | undefined): Range {
  return text === '7d' || text === '30d' ? text : '24h'
}

export type Bar = { at: string; pushes: number; rejected: number; pulled: number }

/** Adds up the hours of each bar; the last bar ends now. */
export function toBars(hours: readonly HourOfStatistics[], perBar: number): Bar[] {
  const bars: Bar[] = []
  for (let end = hours.length; end > 0; end -= perBar) {
    const part = hours.slice(Math.max(0, end - perBar), end)
    const sum = (...kinds: Exclude<keyof HourOfStatistics, 'at'>[]) =>
      part.reduce((all, hour) => kinds.reduce((one, kind) => one + hour[kind], all), 0)
    bars.unshift({
      at: part[0]?.at ?? '',
      pushes: sum('received_post', 'received_patch'),
      rejected: sum('rejected'),
      pulled: sum('received_pull'),
    })
  }
  return bars
}

const STEPS = [2, 4, 6, 8, 10, 12, 16, 20]

/** The top of an axis whose middle is a round number too: 120 for 104. */
export function axisTop(largest: number): number {
  if (largest <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(largest))
  return (STEPS.find((step) => step * power >= largest) ?? 20) * power
}
