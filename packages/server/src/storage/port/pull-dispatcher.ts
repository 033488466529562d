export type PullHandlers = {
  /** Runs a queued pull to its end. Its errors are its own. */
  runPull: (pullId: number) => Promise<void>
  /** Called at each time of the schedule, on one node. */
  onSchedule: () => Promise<void>
}

/**
 * Carries queued pulls to a process that runs them, and keeps the schedule. It is no lock: that a pull
 * runs once is the promise of `PullStore`.
 */
export interface PullDispatcher {
  /**
   * Begins to deliver. `schedule` is a cron pattern, or null for none. Where no other process can be at
   * work, pulls that an earlier one left behind end `interrupted` first.
   */
  start(handlers: PullHandlers, schedule: string | null): Promise<void>

  /** Has a queued pull run soon, here or on another node; once. */
  dispatch(pullId: number): Promise<void>

  /** The next time of the schedule; null where there is none. */
  nextRun(): Date | null

  /** Delivers nothing more. Pulls that are running are not waited for. */
  stop(): Promise<void>
}
