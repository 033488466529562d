import { CronExpressionParser } from 'cron-parser'
import { sleep } from './run-periodically.ts'

/** Waits are divided, so that a change of the system clock takes effect soon. */
const MAX_WAIT_MS = 30_000

/**
 * Whether a text is a cron pattern: five fields, six with seconds, or an alias such as `@daily`. cron-parser also
 * accepts fewer fields, and `H` for a random value.
 */
export function isCronPattern(text: string): boolean {
  const isComplete = text.startsWith('@') || text.trim().split(/\s+/).length >= 5
  if (!isComplete || /(?:^|[\s,])H/i.test(text)) return false
  try {
    CronExpressionParser.parse(text)
    return true
  } catch {
    return false
  }
}

/** The first time of a cron pattern after `after`. */
export function nextCronTime(pattern: string, timeZone: string, after: Date): Date {
  return CronExpressionParser.parse(pattern, { tz: timeZone, currentDate: after }).next().toDate()
}

/** How the schedule measures time and waits; tests replace it. */
const SYSTEM_TIME = { now: () => new Date(), sleep }

/**
 * Runs an action at each time of a cron pattern until the signal aborts. Times that pass while the action runs are
 * skipped. An error of the action ends the loop and rejects the promise.
 */
export async function runOnSchedule(
  { pattern, timeZone }: { pattern: string; timeZone: string },
  signal: AbortSignal,
  action: () => Promise<void>,
  time = SYSTEM_TIME,
): Promise<void> {
  let next = nextCronTime(pattern, timeZone, time.now())
  for (;;) {
    const waitMs = Math.min(next.getTime() - time.now().getTime(), MAX_WAIT_MS)
    if (!(await time.sleep(Math.max(0, waitMs), signal))) return
    if (time.now() < next) continue
    await action()
    next = nextCronTime(pattern, timeZone, time.now())
  }
}
