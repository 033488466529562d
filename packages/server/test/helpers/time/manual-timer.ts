/** Time that passes for the pace of platforms when a test says so, and that tells who waits. */
import type { Timer } from '../../../src/lib/time/throughput-monitor.ts'

export type ManualTimer = Timer & {
  /** Has so much time pass. */
  advance: (milliseconds: number) => void
  /** Whether anybody waits at the moment. */
  hasPending: () => boolean
  /** Resolves once somebody has begun to wait so many times from now on. */
  untilScheduled: (times: number) => Promise<void>
}

export function createManualTimer(): ManualTimer {
  let now = 0
  let begun = 0
  let wake = Promise.withResolvers<void>()
  const waiting = new Set<{ until: number; callback: () => void }>()
  return {
    now: () => now,
    after(milliseconds, callback) {
      const one = { until: now + milliseconds, callback }
      waiting.add(one)
      begun += 1
      wake.resolve()
      wake = Promise.withResolvers()
      return () => waiting.delete(one)
    },
    advance(milliseconds) {
      now += milliseconds
      for (const one of [...waiting]) {
        if (one.until > now) continue
        waiting.delete(one)
        one.callback()
      }
    },
    hasPending: () => waiting.size > 0,
    async untilScheduled(times) {
      const before = begun
      while (begun < before + times) await wake.promise
    },
  }
}
