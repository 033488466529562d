/**
 * Delivers queued pulls to a process that runs them. It is not a lock: `PullStore` guarantees that a pull runs once.
 */
export interface PullDispatcher {
  /**
   * Starts to deliver. Pulls of processes that have ended are interrupted first.
   * @param runPull runs a queued pull to its end. Never rejects.
   */
  start(runPull: (pullId: number) => Promise<void>): Promise<void>

  /** Delivers a queued pull once, to this node or another one. */
  dispatch(pullId: number): Promise<void>

  /** Stops delivery. Does not wait for running pulls. */
  stop(): Promise<void>
}
