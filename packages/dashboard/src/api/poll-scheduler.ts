/**
 * Polls at a fixed interval and never more often, whatever triggers occur (specification 4.1 and 6): immediately at
 * first, then one interval after the previous response. A request may wait before the browser sends it, for example
 * behind the files of the page, so the hub may receive it later than the page asked for it, but never after its
 * response. Does not poll while the page is hidden.
 */
type PollScheduler = {
  /** Polls as soon as the interval allows, for example when the page becomes visible. */
  trigger: () => void
  stop: () => void
}

export function createPollScheduler(deps: {
  intervalMs: number
  /**
   * Polls once, and calls `responded` when the request has ended, with or without a response. The interval is measured
   * from then. Must not throw.
   */
  poll: (responded: () => void) => Promise<void>
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

  const readWait = () => Math.max(0, polledAt + intervalMs - now())

  function schedule(): void {
    cancel()
    if (isStopped || isPolling || isHidden()) return
    cancel = setTimer(readWait(), () => {
      if (isStopped || isHidden()) return
      // A timer may end a little early by the clock that measures the interval.
      if (readWait() > 0) return schedule()
      const setPolled = () => {
        polledAt = now()
      }
      setPolled()
      isPolling = true
      poll(setPolled).finally(() => {
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
