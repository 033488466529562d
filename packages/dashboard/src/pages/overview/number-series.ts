/** The bars of the charts, from the statistics. */
import type { HourOfStatistics, MinuteOfStatistics } from '@recordhub/protocol'

const DAY = { month: 'short', day: 'numeric' } as const

/** `count`: the number of hours, or of minutes, that are read. */
export const RANGES = {
  '1h': { label: '1 h', count: 60, perBar: 2, unit: 'per 2 minutes', at: { timeStyle: 'short' } },
  '24h': { label: '24 h', count: 24, perBar: 1, unit: 'per hour', at: { hour: 'numeric' } },
  '7d': { label: '7 d', count: 168, perBar: 6, unit: 'per 6 hours', at: DAY },
  '30d': { label: '30 d', count: 720, perBar: 24, unit: 'per day', at: DAY },
} as const
export type Range = keyof typeof RANGES

export function rangeOf(text: string | undefined): Range {
  return text === '1h' || text === '7d' || text === '30d' ? text : '24h'
}

export type Bar = MinuteOfStatistics

export function ofHour(hour: HourOfStatistics): Bar {
  const { at, received_post, received_patch, rejected, received_pull, pulls, pulls_failed } = hour
  const pushes = received_post + received_patch
  return { at, pushes, rejected, pulled: received_pull, pulls, pulls_failed }
}

/** Adds up the counts of each bar; the last bar ends now. */
export function toBars(counts: readonly Bar[], perBar: number): Bar[] {
  const bars: Bar[] = []
  for (let end = counts.length; end > 0; end -= perBar) {
    const part = counts.slice(Math.max(0, end - perBar), end)
    bars.unshift({
      at: part[0]?.at ?? '',
      pushes: sumOf(part, 'pushes'),
      rejected: sumOf(part, 'rejected'),
      pulled: sumOf(part, 'pulled'),
      pulls: sumOf(part, 'pulls'),
      pulls_failed: sumOf(part, 'pulls_failed'),
    })
  }
  return bars
}

/** The parameters of a list for the time of a bar. The last bar ends now. */
export function spanOf(bars: readonly Bar[], index: number): { since: string; until: string } {
  const next = bars[index + 1]
  const until = next ? new Date(Date.parse(next.at) - 1).toISOString() : ''
  return { since: bars[index]?.at ?? '', until }
}

export function sumOf(bars: readonly Bar[], kind: Exclude<keyof Bar, 'at'>): number {
  return bars.reduce((sum, bar) => sum + bar[kind], 0)
}

const STEPS = [2, 4, 6, 8, 10, 12, 16, 20]

/** The top of an axis whose middle is a round number too: 120 for 104. */
export function axisTop(largest: number): number {
  if (largest <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(largest))
  return (STEPS.find((step) => step * power >= largest) ?? 20) * power
}
