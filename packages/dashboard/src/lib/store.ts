/** A value that the page watches. */
export type Store<Value> = {
  get: () => Value
  set: (value: Value) => void
  /** Calls `listener` after each change; the answer ends that. */
  subscribe: (listener: () => void) => () => void
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
