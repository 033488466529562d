import type { Push } from './push.ts'

export type OutboxContent = {
  /** Everything that waits, in the order in which it was kept. */
  waiting: readonly Push[]
  /** The newest `occurredAt` of all that was ever kept; null where nothing was. */
  newest: string | null
}

/** Where pushes wait until the hub has them. */
export type Outbox = {
  /**
   * Opens it; called once, before everything else.
   * @throws Error where it cannot be used, or is in use by another process.
   */
  load: () => Promise<OutboxContent>
  /** Resolves once the push would survive a crash. Pushes are kept in the order of the calls. */
  keep: (push: Push) => Promise<void>
  /** Forgets a push that has arrived; of an unknown one nothing happens. */
  drop: (id: string) => Promise<void>
  /** Resolves when all that was asked for is done. */
  close: () => Promise<void>
}
