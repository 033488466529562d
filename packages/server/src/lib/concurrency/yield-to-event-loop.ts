/** Resolves after what has come meanwhile was begun: a long row of steps that an engine answers at once must not keep pushes waiting. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(setImmediate)
}
