/**
 * Every write of a record passes through here: pushes, pulls, replays and reverts.
 *
 * The sequence of a push. Its response follows the commit.
 *   push-routes.ts        finds the platform of the hub API key before the body is read, and applies the rate limit.
 *   http/request-bodies.ts
 *                         limits the bodies in progress, and parses those that are not in the stored form.
 *   receive-push.ts       validates the push (domain/record/record-input.ts), finds its module, and compares the data
 *                         with the manifest (domain/record/drift.ts). A rejected push is saved with the reason.
 *   ingest.ts             collects the pushes of a turn of the event loop into one `applyWrites` of the record store
 *                         (storage/port/record-store.ts), which each engine implements in its record-writer.ts.
 *   record-writer.ts      begins a transaction. It checks key, platform and module again, and loads the stored records,
 *                         with the statements of write-statements.ts (their rows: storage/shared/records/write-rows.ts).
 *   storage/shared/records/batch-applier.ts
 *                         applies the decision of domain/record/record.ts about each write, and collects what changes.
 *   record-writer.ts      saves records, history, counters and activity, commits, and publishes the change.
 */
import { HubError } from '../../errors.ts'
import { Batcher } from '../../lib/concurrency/batcher.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { MetricsRegistry } from '../../lib/metrics/registry.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Span } from '../../lib/tracing/tracer.ts'
import type {
  PullWrite,
  PushWrite,
  RecordStore,
  RecordWrite,
  ReplayWrite,
  RevertWrite,
  WriteBatch,
  WriteOutcome,
} from '../../storage/port/record-store.ts'
import { type CommitKind, collectQueueMetrics, createCommitMetrics } from './ingest-metrics.ts'

export type Ingest = {
  /** Stores what a revert makes of records, in one commit. */
  revert: (writes: RevertWrite[]) => Promise<WriteOutcome[]>
  /** The maximum number of keys at the top level of a record's data. Callers check what they received. */
  maxRecordKeys: number
  /**
   * Stores a push in one commit with other pushes that arrive at the same time. Resolves when it is durable.
   * `http/request-bodies.ts` limits how many wait.
   * @param span gets the wait for the commit and the commit as children.
   */
  push: (write: PushWrite, span: Span | null) => Promise<WriteOutcome>
  /** Whether a push has arrived in the last second. */
  hasPushes: () => boolean
  /** Stores elements of one read, in their order, in one commit. */
  pull: (writes: PullWrite[]) => Promise<WriteOutcome[]>
  /** Stores rejected writes in their order, in one commit. A dry run stores nothing and returns the outcomes. */
  replay: (writes: ReplayWrite[], options: { isDryRun: boolean }) => Promise<WriteOutcome[]>
}

/** Larger batches gain no throughput and delay their first push. */
const MAX_BATCH = 256

type QueuedPush = { write: PushWrite; span: Span | null; queuedAt: number }

export function createIngest(deps: {
  records: Pick<RecordStore, 'applyWrites' | 'tryWrites'>
  clock: Clock
  dayOf: (at: Date) => string
  metrics: MetricsRegistry
  maxRecordKeys: number
}): Ingest {
  const { records, clock, dayOf, maxRecordKeys } = deps
  const commits = createCommitMetrics(deps.metrics)
  const toBatch = (writes: RecordWrite[]): WriteBatch => {
    const now = clock.now()
    return { at: now.toISOString(), day: dayOf(now), maxRecordKeys, writes }
  }
  async function apply(kind: CommitKind, writes: RecordWrite[]): Promise<WriteOutcome[]> {
    const begun = performance.now()
    try {
      const outcomes = await records.applyWrites(toBatch(writes))
      const seconds = (performance.now() - begun) / 1000
      commits.countCommit(kind, { records: writes.length, seconds })
      return outcomes
    } catch (error) {
      commits.countFailure(kind)
      throw error
    }
  }
  async function commitPushes(pushes: QueuedPush[]) {
    const begun = performance.now()
    try {
      const outcomes = await apply(
        'push',
        pushes.map(({ write }) => write),
      )
      return outcomes.map((value) => ({ value }))
    } finally {
      traceCommit(pushes, begun)
    }
  }
  const pushes = new Batcher<QueuedPush, WriteOutcome>({
    handle: commitPushes,
    maxBatch: MAX_BATCH,
    // While the database does not respond, each batch takes as long as a timeout.
    failsWaiting: (error) => error instanceof HubError && error.code === 'storage_unavailable',
  })
  const listPending = () => pushes.listPending().map(({ write }) => write)
  collectQueueMetrics(deps.metrics, listPending)
  let pushedAt = Number.NEGATIVE_INFINITY
  return {
    maxRecordKeys,
    push(write, span) {
      pushedAt = performance.now()
      return pushes.add({ write, span, queuedAt: pushedAt })
    },
    hasPushes: () => performance.now() - pushedAt < 1000,
    async pull(writes) {
      const outcomes = await apply('pull', writes)
      // Pushes that have arrived in the meantime must not wait until the end of the pull.
      await yieldToEventLoop()
      return outcomes
    },
    async revert(writes) {
      const outcomes = await apply('revert', writes)
      await yieldToEventLoop()
      return outcomes
    },
    replay: (writes, { isDryRun }) =>
      isDryRun ? records.tryWrites(toBatch(writes)) : apply('replay', writes),
  }
}

function traceCommit(pushes: readonly QueuedPush[], begun: number): void {
  for (const { span, queuedAt } of pushes) {
    if (!span) continue
    span.addChild('wait for batch', queuedAt, begun)
    span.addChild('commit', begun, performance.now(), { 'recordhub.records': pushes.length })
  }
}
