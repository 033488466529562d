import { setTimeout } from 'node:timers/promises'

const RESTART_PAUSE_MS = 5000

/** Waits. Returns true after the time, false if the signal aborts first. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(milliseconds, undefined, { signal, ref: false })
    return true
  } catch {
    return false
  }
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Runs an action after each pause until the signal aborts.
 * @param onError called with each error; the loop continues. Without it, an error ends the loop and rejects the promise.
 */
export async function runPeriodically(
  pauseMilliseconds: number,
  signal: AbortSignal,
  action: () => Promise<void>,
  onError?: (error: unknown) => void,
): Promise<void> {
  while (await sleep(pauseMilliseconds, signal)) {
    try {
      await action()
    } catch (error) {
      if (!onError) throw error
      onError(error)
    }
  }
}

/**
 * Runs a background loop until it ends or the signal aborts. After an error, starts it again after a pause. Never rejects.
 * @param onError called with each error before the signal aborts.
 */
export async function keepRunning(
  loop: () => Promise<void>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
  pauseMilliseconds = RESTART_PAUSE_MS,
): Promise<void> {
  do {
    try {
      return await loop()
    } catch (error) {
      if (!signal.aborted) onError(error)
    }
  } while (await sleep(pauseMilliseconds, signal))
}
