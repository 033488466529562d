import type { MonotonicClock } from '../time/clock.ts'

/**
 * Limits the calls per second of each key, in this process. `@fastify/rate-limit` (11.2.0) rejects all of several pushes
 * that wait for one look-up of their key, because it counts each of them before it compares the first with the limit. It
 * also follows the system clock, and admits twice the limit around the end of a window.
 */
export type RateLimit = {
  /**
   * Admits a call and returns 0, or returns the seconds after which the next one is admitted. It counts and decides
   * in one synchronous step, so that a call is not rejected because of calls that arrive after it.
   */
  take: (key: string) => number
}

/** `credit` is in thousandths of a call: each millisecond adds a whole number of them. */
type Bucket = { credit: number; at: number }

const CALL = 1000
const MAX_BUCKETS = 10_000

/**
 * A token bucket for each key. Its capacity is the calls of one second, and it refills continuously, so a burst of that
 * many calls is admitted after a second without calls. A rejected call takes nothing.
 */
export function createRateLimit(perSecond: number, clock: MonotonicClock): RateLimit {
  const full = perSecond * CALL
  // The remaining fraction of a call is preserved, so that calls at uneven intervals lose nothing.
  const maxCredit = full + CALL - 1
  const buckets = new Map<string, Bucket>()

  function bucketOf(key: string, at: number): Bucket {
    const found = buckets.get(key)
    if (found) return found
    // A new bucket is full, so deleting the others delays no caller.
    if (buckets.size >= MAX_BUCKETS) buckets.clear()
    const bucket = { credit: full, at }
    buckets.set(key, bucket)
    return bucket
  }

  return {
    take(key) {
      const now = Math.floor(clock.now())
      const bucket = bucketOf(key, now)
      const elapsedMs = Math.max(0, now - bucket.at)
      bucket.credit = Math.min(maxCredit, bucket.credit + elapsedMs * perSecond)
      bucket.at = now
      if (bucket.credit < CALL) return Math.ceil((CALL - bucket.credit) / perSecond / 1000)
      bucket.credit -= CALL
      return 0
    },
  }
}
