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

/** As {@link repeat}, but errors do not end it: `tell` hears of the first one in each row of them. */
export async function repeatDespiteErrors(
  pauseMilliseconds: number,
  signal: AbortSignal,
  action: () => Promise<void>,
  tell: (error: unknown) => void,
): Promise<void> {
  let isTold = false
  await repeat(pauseMilliseconds, signal, async () => {
    try {
      await action()
      isTold = false
    } catch (error) {
      if (!isTold) tell(error)
      isTold = true
    }
  })
}
