/**
 * The login throttle. Each attempt is counted in several buckets, and a bucket with too many failed attempts delays the
 * next one. Failed attempts from elsewhere never lock an operator out: see docs/decisions/0013-login-throttle.md.
 */

/**
 * A bucket counts the attempts that have something in common:
 * - `client`: one account from one subnet or trusted device, or one session that reauthenticates
 * - `subnet`: all accounts from one subnet
 * - `site`: all accounts from one IPv6 /48, which has 65,536 subnets
 * - `account`: one account from everywhere
 * - `global`: all attempts, which only limits the number of entries in the audit log
 */
export type Bucket = 'client' | 'subnet' | 'site' | 'account' | 'global'

/** The attempts of a bucket that failed or are in progress, and when the latest of them began (RFC 3339 in UTC). */
export type AttemptCount = { attempts: number; at: string }

/** The counts of an attempt's buckets; null or absent for a bucket without attempts. */
export type AttemptCounts = Partial<Record<Bucket, AttemptCount | null>>

/** The policy by which an attempt is delayed. */
export type ThrottlePolicy = 'password' | 'code' | 'trusted_device' | 'reauthentication'

/** The number of failed attempts before a bucket delays the next one. A bucket without a limit only counts. */
const FREE_ATTEMPTS: Readonly<Record<ThrottlePolicy, Partial<Record<Bucket, number>>>> = {
  // There is no limit per account: the right password is accepted at once from every new client.
  password: { client: 5, subnet: 30, site: 120 },
  // A code is short enough to be found by attempts from many subnets.
  code: { client: 5, subnet: 30, site: 120, account: 100 },
  // Attempts from elsewhere do not delay the owner of the account.
  trusted_device: { client: 5 },
  reauthentication: { client: 5 },
}
/** An account with this many failed attempts is under attack. Then each client has one free attempt. */
const ATTACK_THRESHOLD = 100

/** Failed attempts expire this long after the latest of them. */
export const EXPIRY_SECONDS = 24 * 3600
const FIRST_WAIT_SECONDS = 30
const MAX_WAIT_SECONDS = 900

/** Seconds until the next attempt is allowed; 0 for now. The fullest bucket decides. */
export function secondsUntilAllowed(
  policy: ThrottlePolicy,
  counts: AttemptCounts,
  now: Date,
): number {
  const { client, subnet, site, account } = FREE_ATTEMPTS[policy]
  const isUnderAttack =
    (policy === 'password' || policy === 'code') &&
    attemptsOf(counts.account, now) >= ATTACK_THRESHOLD
  return Math.max(
    waitAfter(counts.client, isUnderAttack ? 1 : client, now),
    waitAfter(counts.subnet, subnet, now),
    waitAfter(counts.site, site, now),
    waitAfter(counts.account, account, now),
  )
}

/** The number of further attempts that may fail before the next one is delayed. */
export function attemptsBeforeWait(
  policy: ThrottlePolicy,
  counts: AttemptCounts,
  now: Date,
): number {
  let left = 0
  for (let after = counts; secondsUntilAllowed(policy, after, now) === 0; left += 1) {
    const { client = null, subnet = null, site = null, account = null } = after
    after = {
      client: addAttempt(client, now),
      subnet: addAttempt(subnet, now),
      site: addAttempt(site, now),
      account: addAttempt(account, now),
    }
  }
  return left
}

/** The count after one more attempt. */
export function addAttempt(count: AttemptCount | null, now: Date): AttemptCount {
  return { attempts: attemptsOf(count, now) + 1, at: now.toISOString() }
}

/** Whether a failed attempt is recorded in the audit log: the 1st, 2nd, 4th, 8th … so that a flood makes few entries. */
export function isAudited(attempts: number): boolean {
  return Number.isInteger(Math.log2(attempts))
}

function attemptsOf(count: AttemptCount | null | undefined, now: Date): number {
  return count && secondsSince(count, now) < EXPIRY_SECONDS ? count.attempts : 0
}

/** The wait doubles with each failed attempt. */
function waitAfter(
  count: AttemptCount | null | undefined,
  freeAttempts: number | undefined,
  now: Date,
): number {
  const excess = attemptsOf(count, now) - (freeAttempts ?? Number.POSITIVE_INFINITY)
  if (!count || excess < 0) return 0
  const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(excess, 10), MAX_WAIT_SECONDS)
  return Math.max(0, Math.ceil(wait - secondsSince(count, now)))
}

/** The absolute difference: after a clock was set back, an attempt must not appear recent until the clock catches up. */
function secondsSince({ at }: AttemptCount, now: Date): number {
  return Math.abs(now.getTime() - Date.parse(at)) / 1000
}
