/**
 * Asks at one rhythm and never more often, whoever wishes it sooner: the first time at once, then one
 * interval after the time before (specification 4.1 and 6). While the page is hidden it does not ask.
 */
export type PollingRhythm = {
  /** Asks as soon as the rhythm allows: on the page's becoming visible, or on a trigger. */
  wish: () => void
  stop: () => void
}

export function createPollingRhythm(parts: {
  intervalMs: number
  /** Asks once; the next time is counted from its beginning. Must not throw. */
  ask: () => Promise<void>
  isHidden: () => boolean
  /** Milliseconds of a clock that is never set. */
  now: () => number
  /** Runs after so many milliseconds; the answer prevents it. */
  after: (ms: number, run: () => void) => () => void
}): PollingRhythm {
  const { intervalMs, ask, isHidden, now, after } = parts
  let askedAt = Number.NEGATIVE_INFINITY
  let isAsking = false
  let isStopped = false
  let cancel = () => {}

  function plan(): void {
    cancel()
    if (isStopped || isAsking || isHidden()) return
    const wait = Math.max(0, askedAt + intervalMs - now())
    cancel = after(wait, () => {
      if (isStopped || isHidden()) return
      askedAt = now()
      isAsking = true
      ask().finally(() => {
        isAsking = false
        plan()
      })
    })
  }

  return {
    wish: plan,
    stop() {
      isStopped = true
      cancel()
    },
  }
}
