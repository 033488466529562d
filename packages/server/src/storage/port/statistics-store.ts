import type { HourOfStatistics } from '@recordhub/protocol'

/** An hour is named `2026-11-21T07` (UTC). */
export type StoredHour = { hour: string } & Omit<HourOfStatistics, 'at'>

/** An hour in which nothing happened. */
export const EMPTY_HOUR: Omit<StoredHour, 'hour'> = {
  received_post: 0,
  received_patch: 0,
  received_pull: 0,
  created: 0,
  updated: 0,
  rejected: 0,
  platforms_added: 0,
  modules_added: 0,
}

export interface StatisticsStore {
  /**
   * What happened in each of the hours from one up to and with another, over all platforms, from the hourly
   * counters and the registrations alone: it costs no more with more records. Hours in which nothing
   * happened are left out; in no order.
   */
  readHours(from: string, to: string): Promise<StoredHour[]>
}
