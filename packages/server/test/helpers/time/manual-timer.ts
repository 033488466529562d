/** A timer for platform timeouts that the test advances, and that knows whether anything waits. */
import type { Timer } from '../../../src/lib/time/throughput-monitor.ts'

export type ManualTimer = Timer & {
  /** Advances the time. */
  advance: (milliseconds: number) => void
  /** Whether anything is waiting. */
  hasPending: () => boolean
  /** Resolves after this number of further waits have started. */
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
