import type { Push } from './push.ts'

/** Where pushes wait until the hub has them. */
export type Outbox = {
  /** Everything that waits, in the order in which it was kept. Called once, first. */
  load: () => Promise<Push[]>
  /** Resolves once the push would survive a crash. */
  keep: (push: Push) => Promise<void>
  /** Forgets a push that has arrived; of an unknown one nothing happens. */
  drop: (id: string) => Promise<void>
  close: () => Promise<void>
}
