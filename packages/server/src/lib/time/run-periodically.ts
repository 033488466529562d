import { setTimeout } from 'node:timers/promises'

/** Waits. Returns true after the time, false if the signal aborts first. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(milliseconds, undefined, { signal, ref: false })
    return true
  } catch {
    return false
  }
}

/**
 * Runs an action after each pause until the signal aborts.
 * @param onError called with the first error of consecutive failed runs; the loop continues. Without it, an error ends
 *   the loop and rejects the promise.
 */
export async function runPeriodically(
  pauseMilliseconds: number,
  signal: AbortSignal,
  action: () => Promise<void>,
  onError?: (error: unknown) => void,
): Promise<void> {
  let hasFailed = false
  while (await sleep(pauseMilliseconds, signal)) {
    try {
      await action()
      hasFailed = false
    } catch (error) {
      if (!onError) throw error
      if (!hasFailed) onError(error)
      hasFailed = true
    }
  }
}
