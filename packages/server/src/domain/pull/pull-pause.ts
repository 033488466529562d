/** When scheduled pulls skip a failing platform, and what ends that pause: pure. */

/** Scheduled pulls skip a platform after this number of consecutive pulls in which no module of it could be read. */
export const MAX_FAILURES = 5
const PAUSE_MS = 15 * 60_000

/** The stored failures and signs of recovery of a platform. All times are RFC 3339 in UTC. */
export type FailingPlatform = {
  failures_in_row: number
  /** When a module last failed in the last of these pulls. */
  failed_at: string | null
  /**
   * When it last responded to a request outside of pulls, its manifest was refreshed, its source was changed or
   * it was reactivated.
   */
  recovered_at: string | null
  /** When one of its modules was last read. */
  last_pulled_at: string | null
  /** When its hub API key was last used for a push; exact to the minute. */
  last_push_at: string | null
}

/**
 * The end of the pause in which scheduled pulls skip a platform (RFC 3339 in UTC): 15 minutes after its last failure. A
 * request, a pull or a push that has succeeded since then ends the pause early. The failures still count: after one
 * more failure, the next pause begins. A failure that is later than now was stored while the clock was ahead, so it is not
 * known how long ago it was: it causes no pause.
 * @returns null if scheduled pulls do not skip the platform.
 */
export function findPauseEnd(platform: FailingPlatform, now: Date): string | null {
  const { failures_in_row, failed_at, recovered_at, last_pulled_at, last_push_at } = platform
  if (failures_in_row < MAX_FAILURES || failed_at === null) return null
  const end = Date.parse(failed_at) + PAUSE_MS
  if (now.getTime() >= end || now.getTime() < Date.parse(failed_at)) return null
  if (isAfter(recovered_at, failed_at) || isAfter(last_pulled_at, failed_at)) return null
  // A push within the minute of the failure may have arrived after it.
  if (last_push_at !== null && minuteOf(last_push_at) >= minuteOf(failed_at)) return null
  return new Date(end).toISOString()
}

/** Whether a scheduled pull skips a platform. */
export function isPaused(platform: FailingPlatform, now: Date): boolean {
  return findPauseEnd(platform, now) !== null
}

function isAfter(at: string | null, failedAt: string): boolean {
  return at !== null && Date.parse(at) > Date.parse(failedAt)
}

function minuteOf(at: string): number {
  return Math.floor(Date.parse(at) / 60_000)
}
