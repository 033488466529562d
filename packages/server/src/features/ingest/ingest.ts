import { HubError } from '../../errors.ts'
import { Batcher } from '../../lib/concurrency/batcher.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type {
  PullWrite,
  PushWrite,
  RecordStore,
  RecordWrite,
  ReplayWrite,
  WriteBatch,
  WriteOutcome,
} from '../../storage/port/record-store.ts'

/** Every write of a record passes through here: pushes, pulls and replays. */
export type Ingest = {
  /**
   * Stores a push in one commit with other pushes that arrive at the same time. Resolves when it is durable.
   * @throws HubError `busy` when too many pushes are waiting.
   */
  push: (write: PushWrite) => Promise<WriteOutcome>
  /** Whether a push has arrived in the last second. */
  hasPushes: () => boolean
  /** Stores elements of one read, in their order, in one commit. */
  pull: (writes: PullWrite[]) => Promise<WriteOutcome[]>
  /** Stores rejected writes in their order, in one commit. A dry run stores nothing and returns the outcomes. */
  replay: (writes: ReplayWrite[], options: { isDryRun: boolean }) => Promise<WriteOutcome[]>
}

/** Larger batches gain no throughput and delay their first push. */
const MAX_BATCH = 256
const MAX_WAITING = 10_000

export function createIngest(deps: {
  records: Pick<RecordStore, 'applyWrites' | 'tryWrites'>
  clock: Clock
  dayOf: (at: Date) => string
}): Ingest {
  const { records, clock, dayOf } = deps
  const toBatch = (writes: RecordWrite[]): WriteBatch => {
    const now = clock.now()
    return { at: now.toISOString(), day: dayOf(now), writes }
  }
  const apply = (writes: RecordWrite[]) => records.applyWrites(toBatch(writes))
  const pushes = new Batcher<PushWrite, WriteOutcome>({
    handle: async (writes) => (await apply(writes)).map((value) => ({ value })),
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
  })
  let pushedAt = Number.NEGATIVE_INFINITY
  return {
    push(write) {
      pushedAt = performance.now()
      if (pushes.isFull) throw new HubError('busy', { seconds: 1 }, { retryAfterSeconds: 1 })
      return pushes.add(write)
    },
    hasPushes: () => performance.now() - pushedAt < 1000,
    async pull(writes) {
      const outcomes = await apply(writes)
      // Pushes that have arrived in the meantime must not wait until the end of the pull.
      await yieldToEventLoop()
      return outcomes
    },
    replay: (writes, { isDryRun }) =>
      isDryRun ? records.tryWrites(toBatch(writes)) : apply(writes),
  }
}
