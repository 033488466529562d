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

/** The one way in for records: pushes, pulls and replays hand their writes here. */
export type Ingest = {
  /**
   * Stores a push, together with others that come meanwhile, in one commit. Resolves once it is
   * durable.
   * @throws HubError `busy` where too many wait already.
   */
  push: (write: PushWrite) => Promise<WriteOutcome>
  /** Whether pushes come at the time: one has in the last second. */
  hasPushes: () => boolean
  /** Stores elements of one read, in their order, in one commit. */
  pull: (writes: PullWrite[]) => Promise<WriteOutcome[]>
  /** Stores what was refused before, in its order, in one commit; a dry run only tells the outcomes. */
  replay: (writes: ReplayWrite[], options: { isDryRun: boolean }) => Promise<WriteOutcome[]>
}

/** More pushes in one commit gain nothing and make the first of them wait. */
const MAX_GROUP = 256
const MAX_WAITING = 10_000

export function createIngest(options: {
  records: Pick<RecordStore, 'applyWrites' | 'tryWrites'>
  clock: Clock
  dayOf: (at: Date) => string
}): Ingest {
  const { records, clock, dayOf } = options
  const toBatch = (writes: RecordWrite[]): WriteBatch => {
    const now = clock.now()
    return { at: now.toISOString(), day: dayOf(now), writes }
  }
  const apply = (writes: RecordWrite[]) => records.applyWrites(toBatch(writes))
  const pushes = new Batcher<PushWrite, WriteOutcome>({
    handle: async (writes) => (await apply(writes)).map((value) => ({ value })),
    maxBatch: MAX_GROUP,
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
      // Pushes have come meanwhile; a pull must not keep them waiting to its end.
      await yieldToEventLoop()
      return outcomes
    },
    replay: (writes, { isDryRun }) =>
      isDryRun ? records.tryWrites(toBatch(writes)) : apply(writes),
  }
}
