/**
 * What is usual for each platform: at which hours of the week it pushes, and how much of it is refused,
 * learned from the last four weeks of hourly counters. Hours are whole ones since 1970, in UTC.
 */

/** What came of a platform within an hour. */
export type HourCounts = { platform_id: number; pushes: number; rejected: number }

const HOUR_MS = 3_600_000
const WEEK = 7 * 24
/** The past that usual is judged by. */
export const KNOWN_HOURS = 4 * WEEK
/** A rise must not make itself usual at once. */
const RECENT_HOURS = 24
const SLOTS = KNOWN_HOURS + RECENT_HOURS

/** The whole hour that an instant falls in. */
export function hourOf(at: Date): number {
  return Math.floor(at.getTime() / HOUR_MS)
}

/** As the counters name an hour: `2026-11-21T07`. */
export function hourText(hour: number): string {
  return new Date(hour * HOUR_MS).toISOString().slice(0, 13)
}

type Traces = {
  firstPush: number | null
  lastPush: number | null
  /** 1 for an hour with pushes. */
  pushed: Uint8Array
  firstSeen: number
  /** Null until something is refused. */
  rejected: Float64Array | null
}

export class PushBaselines {
  readonly #platforms = new Map<number, Traces>()
  #newest: number | null = null

  /** The last hour that was noted; null before the first. */
  get newest(): number | null {
    return this.#newest
  }

  /** Notes what came within an hour: the newest one again, or a later one. */
  note(hour: number, counts: HourCounts[]): void {
    this.#forgetUpTo(hour)
    for (const { platform_id, pushes, rejected } of counts) {
      const traces = this.#tracesOf(platform_id, hour)
      if (pushes > 0) {
        traces.pushed[hour % SLOTS] = 1
        traces.firstPush ??= hour
        traces.lastPush = hour
      }
      if (rejected > 0 || traces.rejected) {
        traces.rejected ??= new Float64Array(SLOTS)
        traces.rejected[hour % SLOTS] = rejected
      }
    }
  }

  /** The last hour with a push; null where there was none in the hours that are known. */
  lastPush(platformId: number): number | null {
    const last = this.#platforms.get(platformId)?.lastPush ?? null
    return last !== null && this.#isKnown(last) ? last : null
  }

  /**
   * How many hours with pushes one would have expected from `from` on, the newest hour left out since it is
   * not over. An hour counts by the share of the weeks before in which the platform pushed at that hour of the week,
   * so that nights, weekends and whoever pushes now and then count little.
   */
  hoursMissed(platformId: number, from: number): number {
    const traces = this.#platforms.get(platformId)
    if (!traces || this.#newest === null) return 0
    let missed = 0
    for (let hour = from; hour < this.#newest; hour += 1) missed += this.#shareOf(traces, hour)
    return missed
  }

  /** How many were refused in the newest hour and the one before it, and how many usually are in two hours. */
  rejected(platformId: number): { lately: number; usual: number } {
    const traces = this.#platforms.get(platformId)
    const newest = this.#newest
    if (!traces?.rejected || newest === null) return { lately: 0, usual: 0 }
    const { rejected } = traces
    const at = (hour: number) => (this.#isKnown(hour) ? (rejected[hour % SLOTS] ?? 0) : 0)
    const end = newest - RECENT_HOURS
    const begin = Math.max(traces.firstSeen, newest - KNOWN_HOURS)
    let sum = 0
    for (let hour = begin; hour < end; hour += 1) sum += at(hour)
    return {
      lately: at(newest) + at(newest - 1),
      usual: end > begin ? (2 * sum) / (end - begin) : 0,
    }
  }

  #shareOf({ firstPush, pushed }: Traces, hour: number): number {
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

  /** Clears the slots that later hours take over from those before them. */
  #forgetUpTo(hour: number): void {
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

  #tracesOf(platformId: number, hour: number): Traces {
    const known = this.#platforms.get(platformId)
    if (known) return known
    const traces = {
      firstPush: null,
      lastPush: null,
      pushed: new Uint8Array(SLOTS),
      firstSeen: hour,
      rejected: null,
    }
    this.#platforms.set(platformId, traces)
    return traces
  }
}
