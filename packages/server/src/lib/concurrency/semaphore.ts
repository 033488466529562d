/** Limits how many pieces of work run at the same time. The others wait in the order of their calls. */
export type Semaphore = {
  /**
   * Runs the work as soon as a permit is free.
   * @throws the signal's reason when the signal aborts while the work waits.
   */
  run: <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>
}

/** @param permits how many pieces of work run at the same time. */
export function createSemaphore(permits: number): Semaphore {
  let free = permits
  const waiting = new Set<() => void>()

  async function wait(signal: AbortSignal): Promise<void> {
    const permit = Promise.withResolvers<void>()
    const abort = () => permit.reject(signal.reason)
    waiting.add(permit.resolve)
    signal.addEventListener('abort', abort, { once: true })
    try {
      await permit.promise
    } finally {
      waiting.delete(permit.resolve)
      signal.removeEventListener('abort', abort)
    }
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else await wait(signal)
      try {
        return await work()
      } finally {
        const [next] = waiting
        if (next) {
          waiting.delete(next)
          next()
        } else free += 1
      }
    },
  }
}
