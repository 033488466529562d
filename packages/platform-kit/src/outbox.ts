import type { Push } from './push.ts'

export type OutboxContent = {
  /** All pushes that are not acknowledged, in the order in which they were enqueued. */
  queued: readonly Push[]
  /** The newest `occurredAt` of all pushes ever enqueued; null if there are none. */
  newest: string | null
}

/** Stores pushes until the hub has processed them. */
export type Outbox = {
  /**
   * Opens the outbox; called once, before all other methods.
   * @throws Error if the outbox cannot be used, or another process uses it.
   */
  load: () => Promise<OutboxContent>
  /** Resolves once the push would survive a crash. Pushes are stored in the order of the calls. */
  enqueue: (push: Push) => Promise<void>
  /** Deletes a push that the hub has processed; ignores unknown ids. */
  ack: (id: string) => Promise<void>
  /** Resolves when all earlier calls are complete. */
  close: () => Promise<void>
}
