import type { AttemptCount } from '../../domain/auth/login-throttle.ts'

/** At most so many subjects are counted at a time; the one that is known longest goes first. */
export const MOST_GUESS_SUBJECTS = 20_000

export interface GuessStore {
  /**
   * Counts a try for each of these subjects (hashes; what they stand for is not stored), unless `decide`
   * says that it has to wait so many seconds, in which case nothing is written. Of tries at once each sees
   * those before it. Holds on every process from its commit on.
   * @returns the counts with this try, or the seconds.
   */
  countGuess(
    subjects: readonly string[],
    at: string,
    decide: (counts: ReadonlyMap<string, AttemptCount>) => number,
  ): Promise<
    | { outcome: 'counted'; counts: ReadonlyMap<string, AttemptCount> }
    | { outcome: 'wait'; seconds: number }
  >

  /** Takes back a try that did not fail; of the subjects to forget, all tries. */
  forgiveGuess(forgotten: readonly string[], lessened: readonly string[]): Promise<void>
}
