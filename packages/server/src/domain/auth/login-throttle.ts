/**
 * How long a guesser has to wait. Nobody is shut out by what others do: see docs/decisions/0013-login-throttle.md.
 */

/** Tries that failed or are under way, and when the last of them began (RFC 3339 in UTC). */
export type GuessCount = { tries: number; at: string }

/** What is counted of one try: of this account from this place or device, of the place, and of the account. */
export type GuessCounts = {
  person: GuessCount | null
  place: GuessCount | null
  account: GuessCount | null
}

/** `password`: the right one is let in from every new place. `code`: short, so an account has a limit of its own. */
export type GuessKind = 'password' | 'code' | 'confirmation'

/** Tries that fail count until so long after the last one. */
export const FORGOTTEN_SECONDS = 24 * 3600
const FREE_OF_PERSON = 5
const FREE_OF_PLACE = 30
/** From so many on an account is being guessed at, and each new place has one try. */
const FREE_OF_ACCOUNT = 100
const FIRST_WAIT_SECONDS = 30
const LONGEST_WAIT_SECONDS = 900

/**
 * Seconds until a try is allowed; 0 for now. What comes from a device that the operator has signed in with
 * before is judged by its own tries alone.
 */
export function waitBeforeGuess(
  counts: GuessCounts,
  { kind, isKnownDevice }: { kind: GuessKind; isKnownDevice: boolean },
  now: Date,
): number {
  const { person, place, account } = counts
  if (isKnownDevice || kind === 'confirmation') return waitAfter(person, FREE_OF_PERSON, now)
  const isGuessedAt = triesOf(account, now) >= FREE_OF_ACCOUNT
  return Math.max(
    waitAfter(person, isGuessedAt ? 1 : FREE_OF_PERSON, now),
    waitAfter(place, FREE_OF_PLACE, now),
    kind === 'code' ? waitAfter(account, FREE_OF_ACCOUNT, now) : 0,
  )
}

/** The count with one more try. */
export function countGuess(count: GuessCount | null, now: Date): GuessCount {
  return { tries: triesOf(count, now) + 1, at: now.toISOString() }
}

/** Whether a try is worth an entry of the audit: the 1st, 2nd, 4th, 8th … so that many make few. */
export function isNotable({ tries }: GuessCount): boolean {
  return Number.isInteger(Math.log2(tries))
}

function triesOf(count: GuessCount | null, now: Date): number {
  return count && secondsSince(count, now) < FORGOTTEN_SECONDS ? count.tries : 0
}

/** Twice as long after each try that failed. */
function waitAfter(count: GuessCount | null, free: number, now: Date): number {
  const over = triesOf(count, now) - free
  if (!count || over < 0) return 0
  const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(over, 10), LONGEST_WAIT_SECONDS)
  return Math.max(0, Math.ceil(wait - secondsSince(count, now)))
}

/** After a clock went back a try must not seem new until it has caught up. */
function secondsSince({ at }: GuessCount, now: Date): number {
  return Math.abs(now.getTime() - Date.parse(at)) / 1000
}
