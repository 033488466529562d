import { MAX_PUSH_BACKOFF_SECONDS } from '@recordhub/protocol/push-retry'

const BASE_DELAY_MS = 500
const MAX_DELAY_MS = MAX_PUSH_BACKOFF_SECONDS * 1000

/**
 * The delay before the next attempt: exponential with jitter, so that platforms do not all retry at the same time.
 * @param failures the number of consecutive failures, at least 1.
 * @param minMs the delay in `Retry-After`, to which the backoff is added.
 * @param random between 0 and 1.
 */
export function backoffDelay(
  failures: number,
  minMs: number,
  random: number = Math.random(),
): number {
  const maxMs = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures - 1, 20))
  return Math.round(minMs + (maxMs / 2) * (1 + random))
}

/** Delays that can be ended together. */
type Delays = {
  /** Resolves after the delay, or as soon as `stop` is called. */
  wait: (ms: number) => Promise<void>
  stop: () => void
}

export function createDelays(): Delays {
  const waiting = new Set<() => void>()
  let isStopped = false
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (isStopped) return resolve()
        const end = () => {
          clearTimeout(timer)
          waiting.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        waiting.add(end)
      }),
    stop() {
      isStopped = true
      for (const end of waiting) end()
    },
  }
}
