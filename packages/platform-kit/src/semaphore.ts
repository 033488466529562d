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

export function createSemaphore(initialLimit: number): Semaphore {
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
