import type { HourOfStatistics } from '@recordhub/protocol'

/** An hour is named `2026-11-21T07` (UTC). */
export type StoredHour = { hour: string } & Omit<HourOfStatistics, 'at'>

/** The figures of an hour without any events. */
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
   * Returns the figures of all platforms for each hour of a range, both ends included, in no particular order. Hours
   * without events are left out. Reads only hourly counters and registrations: the cost does not depend on the number of
   * records.
   */
  readHours(from: string, to: string): Promise<StoredHour[]>
}
