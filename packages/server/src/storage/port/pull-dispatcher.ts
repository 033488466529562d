export type PullHandlers = {
  /** Runs a queued pull to its end. Never rejects. */
  runPull: (pullId: number) => Promise<void>
  /** Called at each time of the schedule, on one node. */
  onSchedule: () => Promise<void>
}

/**
 * Delivers queued pulls to a process that runs them, and runs the schedule. It is not a lock: `PullStore` guarantees
 * that a pull runs once.
 */
export interface PullDispatcher {
  /**
   * Starts to deliver. `schedule` is a cron pattern, or null for none. Pulls of processes that have ended are
   * interrupted first.
   */
  start(handlers: PullHandlers, schedule: string | null): Promise<void>

  /** Delivers a queued pull once, to this node or another one. */
  dispatch(pullId: number): Promise<void>

  /** The next time of the schedule; null if there is no schedule. */
  nextRun(): Date | null

  /** Stops delivery. Does not wait for running pulls. */
  stop(): Promise<void>
}
