/** Lets so many do something at a time; the others wait in the order in which they came. */
export type Semaphore = {
  /**
   * Does the work once it is its turn.
   * @throws the signal's reason where it comes while the work waits.
   */
  run: <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>
}

/** @param atATime how many may be at work. */
export function createSemaphore(atATime: number): Semaphore {
  let free = atATime
  const waiting = new Set<() => void>()

  async function wait(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>()
    const giveUp = () => turn.reject(signal.reason)
    waiting.add(turn.resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await turn.promise
    } finally {
      waiting.delete(turn.resolve)
      signal.removeEventListener('abort', giveUp)
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
