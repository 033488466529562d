import { setTimeout as sleep } from 'node:timers/promises'

/** Waits; true when the time is over, false when the signal came first. */
export async function waitFor(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(milliseconds, undefined, { signal, ref: false })
    return true
  } catch {
    return false
  }
}

/** Does something again and again, a pause after each time, until the signal. Errors end it. */
export async function repeat(
  pauseMilliseconds: number,
  signal: AbortSignal,
  action: () => Promise<void>,
): Promise<void> {
  while (await waitFor(pauseMilliseconds, signal)) await action()
}
