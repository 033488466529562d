/** Lets pending events run first, so that a long loop of synchronous queries does not delay pushes. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(setImmediate)
}
