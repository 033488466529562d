/**
 * A signal that aborts after a time, or with another signal. Unlike `AbortSignal.timeout`, disposing it ends its timer.
 */
export function createDeadline(
  milliseconds: number,
  other: AbortSignal,
): { signal: AbortSignal; [Symbol.dispose]: () => void } {
  const expired = new AbortController()
  const timer = setTimeout(() => expired.abort(), milliseconds)
  timer.unref()
  return {
    signal: AbortSignal.any([expired.signal, other]),
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
