import { Cron } from 'croner'
import type { Clock } from './clock.ts'
import type { sleep } from './run-periodically.ts'

/** Waits are divided, so that a change of the clock takes effect soon. */
const MAX_WAIT_MS = 30_000
/** A clock that is set back by less only delays the next run. By more, its times come again, and the action runs at them. */
const MAX_DELAY_MS = 60_000
/** The minimum time between the end of a run and the next one, also if the clock was set to just before a time. */
const MIN_PAUSE_MS = 1000

/** The clock of the schedules, and the function that waits for their times. */
export type ScheduleTime = { clock: Clock; wait: typeof sleep }

/**
 * Runs a job by a schedule until the signal aborts, and again with the new pattern when an admin changes it.
 * @param run runs until its signal aborts; not called while the schedule is off.
 */
export type FollowSchedule = (
  name: 'HUB_PULL_SCHEDULE' | 'HUB_BACKUP_SCHEDULE',
  signal: AbortSignal,
  run: (pattern: string, signal: AbortSignal) => Promise<void>,
) => Promise<void>

/** Whether a text is a cron pattern: five fields, or an alias such as `@daily`. */
export function isCronPattern(text: string): boolean {
  // croner also accepts a single point in time, and fields for seconds and years.
  if (!/^\s*@/.test(text) && text.trim().split(/\s+/).length !== 5) return false
  try {
    return nextCronTime(text, 'UTC', new Date()) !== null
  } catch {
    return false
  }
}

/**
 * The first time of a cron pattern after `after`; null if there is none. Times that a change of the clocks removes are
 * skipped, except that a pattern with one hour and one minute is due right after the change. Times that a change repeats
 * come twice, except for such a pattern.
 */
export function nextCronTime(pattern: string, timeZone: string, after: Date): Date | null {
  const next = new Cron(pattern, { timezone: timeZone }).nextRun(after)
  return next && next > after ? next : null
}

/**
 * Runs an action at each time of a cron pattern until the signal aborts. Times that pass while the action runs are
 * skipped, and of the times that a clock set forward passes over, one is made up for. An error of the action ends the loop
 * and rejects the promise.
 * @param action receives the time at which it was due, which may have passed.
 */
export async function runOnSchedule(
  { pattern, timeZone }: { pattern: string; timeZone: string },
  signal: AbortSignal,
  action: (due: Date) => Promise<void>,
  { clock, wait }: ScheduleTime,
): Promise<void> {
  const findNext = (after: Date): Date => {
    const next = nextCronTime(pattern, timeZone, after)
    if (next) return next
    throw new Error(`${pattern} has no time after ${after.toISOString()} in ${timeZone}`)
  }
  let now = clock.now()
  let next = findNext(now)
  for (;;) {
    const waitMs = Math.min(next.getTime() - now.getTime(), MAX_WAIT_MS)
    if (!(await wait(Math.max(0, waitMs), signal))) return
    const isDue = clock.now() >= next
    if (isDue) await action(next)
    const latest = isDue ? next : now
    now = clock.now()
    const wasSetBack = latest.getTime() - now.getTime() > MAX_DELAY_MS
    if (wasSetBack) next = findNext(now)
    else if (isDue) next = findNext(now > next ? now : next)
    const earliest = new Date(now.getTime() + MIN_PAUSE_MS)
    if (isDue && next < earliest) next = earliest
  }
}
