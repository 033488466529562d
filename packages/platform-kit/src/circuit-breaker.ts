/**
 * Stops sending to a hub that fails, and resumes carefully, so that a hub that recovers is not flooded by all pushes
 * that waited for it.
 *
 * | state     | requests in flight  | ends when                                                         |
 * |-----------|---------------------|-------------------------------------------------------------------|
 * | closed    | up to `concurrency` | a request fails: open                                             |
 * | open      | no new ones         | the delay is over: half-open, or closed after a success meanwhile |
 * | half-open | one at a time       | the request succeeds: closed; it fails: open with a longer delay  |
 *
 * Requests that were in flight when the circuit opened may end while it is open. Their failures are not counted again,
 * and a success resets the count of failures but does not shorten the delay, which may come from `Retry-After`.
 */
type CircuitBreaker = {
  /**
   * Waits until a request may be sent. Each acquired request ends with one call of `success` or `failure`.
   * @param deadline when to stop waiting, by `performance.now()`; null for no deadline.
   * @returns false if the deadline passes first or the circuit breaker is stopped.
   */
  acquire: (deadline: number | null) => Promise<boolean>
  /** The hub processed the request, whether it stored or rejected the push. */
  success: () => void
  /** The hub failed. @param delayAfter the delay in milliseconds after this many consecutive failures. */
  failure: (delayAfter: (failures: number) => number) => void
  /** Ends all waiting; later calls of `acquire` return false. */
  stop: () => void
}

export function createCircuitBreaker(concurrency: number): CircuitBreaker {
  const permits = createSemaphore(concurrency)
  let failures = 0
  let openTimer: ReturnType<typeof setTimeout> | null = null
  let isStopped = false

  function endDelay(): void {
    openTimer = null
    // Half-open; or closed, if a request that was in flight has succeeded meanwhile.
    permits.setLimit(failures === 0 ? concurrency : 1)
  }

  return {
    acquire: permits.acquire,
    success() {
      failures = 0
      // Closed. While the circuit is open, the delay has to end first.
      if (openTimer === null) permits.setLimit(concurrency)
      permits.release()
    },
    failure(delayAfter) {
      if (openTimer === null && !isStopped) {
        failures += 1
        // Open.
        permits.setLimit(0)
        openTimer = setTimeout(endDelay, delayAfter(failures))
      }
      permits.release()
    },
    stop() {
      isStopped = true
      if (openTimer !== null) clearTimeout(openTimer)
      permits.close()
    },
  }
}

/** Limits how many pushes are in flight. Waiting callers get permits in the order of their calls. */
type Semaphore = {
  /**
   * Waits for a permit.
   * @param deadline when to stop waiting, by `performance.now()`; null for no deadline.
   * @returns false if the deadline passes first or the semaphore is closed.
   */
  acquire: (deadline: number | null) => Promise<boolean>
  release: () => void
  /** Changes the number of permits. Permits already acquired count against the new limit. */
  setLimit: (limit: number) => void
  /** Ends all waiting; later calls of `acquire` return false. */
  close: () => void
}

function createSemaphore(initialLimit: number): Semaphore {
  const waiters = new Set<(isAcquired: boolean) => void>()
  let limit = initialLimit
  let inFlight = 0
  let isClosed = false

  function wakeWaiters(): void {
    for (const wake of waiters) {
      if (inFlight >= limit) return
      inFlight += 1
      wake(true)
    }
  }

  return {
    acquire: (deadline) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(false)
        let timer: ReturnType<typeof setTimeout> | undefined
        const wake = (isAcquired: boolean) => {
          clearTimeout(timer)
          waiters.delete(wake)
          resolve(isAcquired)
        }
        waiters.add(wake)
        if (deadline !== null) timer = setTimeout(wake, deadline - performance.now(), false)
        wakeWaiters()
      }),
    release() {
      inFlight -= 1
      wakeWaiters()
    },
    setLimit(next) {
      limit = next
      wakeWaiters()
    },
    close() {
      isClosed = true
      for (const wake of waiters) wake(false)
    },
  }
}
