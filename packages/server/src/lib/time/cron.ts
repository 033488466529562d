import { CronExpressionParser } from 'cron-parser'
import type { Clock } from './clock.ts'
import { sleep } from './run-periodically.ts'

/** Waits are divided, so that a change of the clock takes effect soon. */
const MAX_WAIT_MS = 30_000
/** A clock that is set back by less only delays the next run. By more, its times come again, and the action runs at them. */
const MAX_DELAY_MS = 60_000

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

/**
 * Runs an action at each time of a cron pattern until the signal aborts. Times that pass while the action runs are
 * skipped, and of the times that a clock set forward passes over, one is made up for. An error of the action ends the loop
 * and rejects the promise.
 * @param time tests replace `wait`.
 */
export async function runOnSchedule(
  { pattern, timeZone }: { pattern: string; timeZone: string },
  signal: AbortSignal,
  action: () => Promise<void>,
  { clock, wait = sleep }: { clock: Clock; wait?: typeof sleep },
): Promise<void> {
  let now = clock.now()
  let next = nextCronTime(pattern, timeZone, now)
  for (;;) {
    const waitMs = Math.min(next.getTime() - now.getTime(), MAX_WAIT_MS)
    if (!(await wait(Math.max(0, waitMs), signal))) return
    const isDue = clock.now() >= next
    if (isDue) await action()
    const latest = isDue ? next : now
    now = clock.now()
    const wasSetBack = latest.getTime() - now.getTime() > MAX_DELAY_MS
    if (wasSetBack) next = nextCronTime(pattern, timeZone, now)
    else if (isDue) next = nextCronTime(pattern, timeZone, now > next ? now : next)
  }
}
