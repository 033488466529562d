import type { HourOfStatistics } from '@recordhub/protocol'

/** An hour is named `2026-11-21T07` (UTC). */
export type StoredHour = { hour: string } & Omit<HourOfStatistics, 'at'>

export interface StatisticsStore {
  /**
   * What happened in each of the hours from one up to and with another, over all platforms, from the hourly
   * counters and the registrations alone: it costs no more with more records. Hours in which nothing
   * happened are left out; in no order.
   */
  readHours(from: string, to: string): Promise<StoredHour[]>
}
