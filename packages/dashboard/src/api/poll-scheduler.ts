/**
 * Polls at a fixed interval and never more often, whatever triggers occur (specification 4.1 and 6): immediately at
 * first, then one interval after the previous poll. Does not poll while the page is hidden.
 */
type PollScheduler = {
  /** Polls as soon as the interval allows, for example when the page becomes visible. */
  trigger: () => void
  stop: () => void
}

export function createPollScheduler(deps: {
  intervalMs: number
  /** Polls once. The interval is measured from its start. Must not throw. */
  poll: () => Promise<void>
  isHidden: () => boolean
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Runs a function after the given milliseconds. Returns a function that cancels the timer. */
  setTimer: (ms: number, run: () => void) => () => void
}): PollScheduler {
  const { intervalMs, poll, isHidden, now, setTimer } = deps
  let polledAt = Number.NEGATIVE_INFINITY
  let isPolling = false
  let isStopped = false
  let cancel = () => {}

  function schedule(): void {
    cancel()
    if (isStopped || isPolling || isHidden()) return
    const wait = Math.max(0, polledAt + intervalMs - now())
    cancel = setTimer(wait, () => {
      if (isStopped || isHidden()) return
      polledAt = now()
      isPolling = true
      poll().finally(() => {
        isPolling = false
        schedule()
      })
    })
  }

  return {
    trigger: schedule,
    stop() {
      isStopped = true
      cancel()
    },
  }
}
