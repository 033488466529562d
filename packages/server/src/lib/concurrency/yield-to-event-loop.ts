import type { MonotonicClock } from '../time/clock.ts'

/** Lets pending events run first, so that a long loop of synchronous queries does not delay pushes. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(setImmediate)
}

/** How long a loop may run before other work. */
const SLICE_MS = 10

/** Returns a function for a loop whose rounds differ much in time: it yields when the loop has run for 10 ms. */
export function createPause(clock: MonotonicClock = performance): () => Promise<void> {
  let begun = clock.now()
  return async () => {
    if (clock.now() - begun < SLICE_MS) return
    await yieldToEventLoop()
    begun = clock.now()
  }
}
