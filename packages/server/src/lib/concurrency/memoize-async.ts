/**
 * Returns a function that loads a value on its first call and then returns the same value. After a failure, the next call
 * loads again.
 */
export function memoizeAsync<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | null = null
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null
      throw error
    })
    return loaded
  }
}

/**
 * Returns a function that calls `call` once at a time. Callers during a call share the next one, so that each of them gets
 * a result of a call that began after theirs.
 */
export function shareCalls<Value>(call: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Value> | null = null
  return () => {
    next ??= running.then(() => {
      next = null
      const started = call()
      running = started.catch(() => undefined)
      return started
    })
    return next
  }
}
