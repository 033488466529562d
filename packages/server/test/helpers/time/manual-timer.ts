/** A timer for the timeouts of platforms that a test advances. */
import type { Timer } from '../../../src/lib/time/throughput-monitor.ts'

export type ManualTimer = Timer & {
  /** Advances the time and runs the callbacks that are due. */
  advance: (milliseconds: number) => void
  /** Whether a callback is pending. */
  hasPending: () => boolean
  /** Resolves after this number of further callbacks have been scheduled. */
  untilScheduled: (times: number) => Promise<void>
}

export function createManualTimer(): ManualTimer {
  let now = 0
  let scheduled = 0
  let wake = Promise.withResolvers<void>()
  const pending = new Set<{ until: number; callback: () => void }>()
  return {
    now: () => now,
    after(milliseconds, callback) {
      const one = { until: now + milliseconds, callback }
      pending.add(one)
      scheduled += 1
      wake.resolve()
      wake = Promise.withResolvers()
      return () => pending.delete(one)
    },
    advance(milliseconds) {
      now += milliseconds
      for (const one of [...pending]) {
        if (one.until > now) continue
        pending.delete(one)
        one.callback()
      }
    },
    hasPending: () => pending.size > 0,
    async untilScheduled(times) {
      const before = scheduled
      while (scheduled < before + times) await wake.promise
    },
  }
}
