/** Leases: at most one process at a time runs a job, such as enforcing retention or watching alerts. */
export interface LeaseStore {
  /**
   * Acquires a lease for `seconds` unless it is held, by another owner or by this one. Exactly one of several concurrent
   * callers on all processes succeeds. A lease expires if it is not released, for example because its process was killed.
   * After the clock is set back, it expires at the latest `seconds` after it would have.
   * @param owner the process name of the storage.
   * @param from when the lease begins, for a job of this time; now by default. All callers with the same time, however late,
   *   acquire it once, and it does not delay a job whose time is later than its end.
   * @returns whether the lease was acquired.
   */
  acquire(name: string, owner: string, seconds: number, from?: Date): Promise<boolean>

  /** Releases a lease before it expires. Has no effect if the owner does not hold it. */
  release(name: string, owner: string): Promise<void>
}
