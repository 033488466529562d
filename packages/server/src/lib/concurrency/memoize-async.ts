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
