/**
 * The baseline of each platform from the hourly counters of the last four weeks: at which hours of the week it pushes,
 * and how many of its pushes are rejected. Hours are numbered since 1970, in UTC.
 */
import { toHour } from '../../lib/time/clock.ts'

export type HourCounts = { platform_id: number; pushes: number; rejected: number }

const HOUR_MS = 3_600_000
const WEEK = 7 * 24
export const BASELINE_HOURS = 4 * WEEK
/** The latest hours do not count for the baseline of rejected pushes, so that a rise does not become usual at once. */
const RECENT_HOURS = 24
/** The size of the ring buffers, in hours. */
const SLOTS = BASELINE_HOURS + RECENT_HOURS

/** The hour that contains a time. */
export function hourOf(at: Date): number {
  return Math.floor(at.getTime() / HOUR_MS)
}

/** The hour in the form of the counters: `2026-11-21T07`. */
export function hourText(hour: number): string {
  return toHour(new Date(hour * HOUR_MS).toISOString())
}

type Baseline = {
  firstPush: number | null
  lastPush: number | null
  /** A ring buffer: 1 for an hour with pushes. */
  pushed: Uint8Array
  firstSeen: number
  /** A ring buffer; null until a push is rejected. */
  rejected: Float64Array | null
}

export class PushBaselines {
  readonly #platforms = new Map<number, Baseline>()
  #newest: number | null = null

  /** The latest recorded hour; null before the first. */
  get newest(): number | null {
    return this.#newest
  }

  /** Records the counts of an hour: of the latest hour again, or of a later one. */
  record(hour: number, counts: HourCounts[]): void {
    this.#advanceTo(hour)
    for (const { platform_id, pushes, rejected } of counts) {
      const baseline = this.#baselineOf(platform_id, hour)
      if (pushes > 0) {
        baseline.pushed[hour % SLOTS] = 1
        baseline.firstPush ??= hour
        baseline.lastPush = hour
      }
      if (rejected > 0 || baseline.rejected) {
        baseline.rejected ??= new Float64Array(SLOTS)
        baseline.rejected[hour % SLOTS] = rejected
      }
    }
  }

  /** The latest hour with a push; null if there was none in the recorded period. */
  lastPush(platformId: number): number | null {
    const last = this.#platforms.get(platformId)?.lastPush ?? null
    return last !== null && this.#isKnown(last) ? last : null
  }

  /**
   * The expected number of hours with pushes since `from`, without the latest hour, which is not over. Each hour counts
   * as the share of the previous weeks in which the platform pushed at that hour of the week, so that nights, weekends
   * and rare pushes count little.
   */
  hoursMissed(platformId: number, from: number): number {
    const baseline = this.#platforms.get(platformId)
    if (!baseline || this.#newest === null) return 0
    let missed = 0
    for (let hour = from; hour < this.#newest; hour += 1) missed += this.#shareOf(baseline, hour)
    return missed
  }

  /** The number of rejected pushes in the latest two hours, and the usual number in two hours. */
  rejected(platformId: number): { recent: number; usual: number } {
    const baseline = this.#platforms.get(platformId)
    const newest = this.#newest
    if (!baseline?.rejected || newest === null) return { recent: 0, usual: 0 }
    const { rejected } = baseline
    const at = (hour: number) => (this.#isKnown(hour) ? (rejected[hour % SLOTS] ?? 0) : 0)
    const end = newest - RECENT_HOURS
    const begin = Math.max(baseline.firstSeen, newest - BASELINE_HOURS)
    let sum = 0
    for (let hour = begin; hour < end; hour += 1) sum += at(hour)
    return {
      recent: at(newest) + at(newest - 1),
      usual: end > begin ? (2 * sum) / (end - begin) : 0,
    }
  }

  #shareOf({ firstPush, pushed }: Baseline, hour: number): number {
    let weeks = 0
    let active = 0
    for (let past = hour - WEEK; this.#isKnown(past); past -= WEEK) {
      if (firstPush === null || past < firstPush) break
      weeks += 1
      active += pushed[past % SLOTS] ?? 0
    }
    return weeks === 0 ? 0 : active / weeks
  }

  #isKnown(hour: number): boolean {
    return this.#newest !== null && hour > this.#newest - SLOTS
  }

  /** Clears the slots that are reused for later hours. */
  #advanceTo(hour: number): void {
    const newest = this.#newest ?? hour
    const from = Math.max(newest + 1, hour - SLOTS + 1)
    for (const { pushed, rejected } of this.#platforms.values()) {
      for (let next = from; next <= hour; next += 1) {
        pushed[next % SLOTS] = 0
        if (rejected) rejected[next % SLOTS] = 0
      }
    }
    this.#newest = Math.max(newest, hour)
  }

  #baselineOf(platformId: number, hour: number): Baseline {
    const known = this.#platforms.get(platformId)
    if (known) return known
    const baseline = {
      firstPush: null,
      lastPush: null,
      pushed: new Uint8Array(SLOTS),
      firstSeen: hour,
      rejected: null,
    }
    this.#platforms.set(platformId, baseline)
    return baseline
  }
}
