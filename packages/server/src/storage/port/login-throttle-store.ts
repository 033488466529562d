import type { AttemptCount } from '../../domain/auth/login-throttle.ts'

/** Maximum number of subjects with stored counts. The subject stored first is deleted first. */
export const MAX_THROTTLED_SUBJECTS = 20_000

export interface LoginThrottleStore {
  /**
   * Counts an attempt for each subject, unless `decide` returns the seconds that the caller must wait: then nothing is
   * written. A subject is a hash of an account or address, neither of which is stored. Concurrent attempts are counted
   * one after another, on all processes.
   * @returns the counts that include this attempt, or the seconds.
   */
  countAttempt(
    subjects: readonly string[],
    at: string,
    decide: (counts: ReadonlyMap<string, AttemptCount>) => number,
  ): Promise<
    | { outcome: 'counted'; counts: ReadonlyMap<string, AttemptCount> }
    | { outcome: 'wait'; seconds: number }
  >

  /** Removes all attempts of the subjects in `reset`, and one attempt of each subject in `refund`. */
  refundAttempt(subjects: { reset: readonly string[]; refund: readonly string[] }): Promise<void>
}
