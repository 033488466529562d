import { redactKeys } from '../../domain/redact-keys.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { GroupQueue } from '../../lib/group-queue.ts'
import type { NewRejectedPush, RejectedPushStore } from '../../storage/port/rejected-push-store.ts'

/** What a platform's refused bodies may take; the oldest go first. */
const QUOTA_BYTES = 50 * 1024 * 1024

/** Keeps refused pushes and pulled records so that they can be mended, many in one commit. */
export type RejectedPushKeeper = {
  /**
   * Keeps it without keys: those of the hub, what bears the name of one, and the known ones.
   * @throws HubError `busy` where too many wait already.
   */
  keep: (rejected: NewRejectedPush, knownKeys?: readonly string[]) => Promise<void>
}

export function createRejectedPushKeeper(options: {
  rejectedPushes: Pick<RejectedPushStore, 'keepRejectedPushes'>
  clock: Clock
  dayOf: (at: Date) => string
}): RejectedPushKeeper {
  const { rejectedPushes, clock, dayOf } = options
  const queue = new GroupQueue<NewRejectedPush, void>({
    async handle(rejected) {
      const now = clock.now()
      await rejectedPushes.keepRejectedPushes(rejected, {
        at: now.toISOString(),
        day: dayOf(now),
        quotaBytes: QUOTA_BYTES,
      })
      return rejected.map(() => ({ value: undefined }))
    },
    maxGroup: 100,
    maxWaiting: 1000,
  })
  return {
    async keep(rejected, knownKeys) {
      if (queue.isFull) throw new HubError('busy', { seconds: 1 }, { retryAfterSeconds: 1 })
      await queue.add({ ...rejected, body: redactKeys(rejected.body, knownKeys) })
    },
  }
}
