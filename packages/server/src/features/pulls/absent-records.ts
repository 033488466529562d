/** The stored records that a read did not contain: of the whole module, or of the buckets that the read has read completely. */
import { canBeMissing, type ReadCoverage, type ReadStart } from '../../domain/pull/missing.ts'
import { HubError } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { BucketPosition, DigestStore } from '../../storage/port/digest-store.ts'
import type {
  AbsentRecord,
  MissingStep,
  MissingStore,
  RecordRef,
} from '../../storage/port/missing-store.ts'
import type { ModuleRef } from '../../storage/port/record-list-store.ts'

/** Maximum number of records examined in one query, during which pushes wait. */
const STEP = 1000

/** `undecided`: absent records that were pushed too late for the read; `pushedBefore`: of those, before it. */
type AbsentStep = Omit<MissingStep, 'next'>

export type AbsentQuery = ReadStart & {
  module: ModuleRef
  coverage: Pick<ReadCoverage, 'seen' | 'stillMissing' | 'rejected'>
  /** The buckets that were read completely; null if the whole list was. */
  buckets: readonly string[] | null
  /** The absent records of other buckets, which an earlier read has found. */
  others: readonly AbsentRecord[]
  signal: AbortSignal
}

/** Walks through the records in steps, and yields those steps with records that the read did not contain. */
export async function* walkAbsent(
  stores: { missing: MissingStore; digests: DigestStore },
  query: AbsentQuery,
): AsyncGenerator<AbsentStep> {
  const { buckets } = query
  const steps = buckets
    ? walkBuckets(stores.digests, query, buckets)
    : walkModule(stores.missing, query)
  for await (const step of steps) {
    if (step.missing.length + step.undecided + step.held.length > 0) yield step
    await yieldToEventLoop()
  }
}

async function* walkModule(
  missing: MissingStore,
  { module, snapshotSeq, pushed_until, ahead_from, coverage, signal }: AbsentQuery,
): AsyncGenerator<AbsentStep> {
  const { platform_id, module_id } = module
  const start = { snapshotSeq, pushed_until, ahead_from }
  const isPresent = (record: RecordRef) => isCovered(record, coverage)
  const query = { platform_id, module_id, ...start, isPresent, limit: STEP }
  for (let after: string | null | undefined; after !== null; ) {
    throwIfAborted(signal)
    const step = await missing.listMissing({ ...query, after: after ?? null })
    after = step.next
    yield step
  }
}

async function* walkBuckets(
  digests: DigestStore,
  query: AbsentQuery,
  buckets: readonly string[],
): AsyncGenerator<AbsentStep> {
  const { module, coverage, signal, others } = query
  yield { missing: [...others], held: [], undecided: 0, pushedBefore: 0 }
  for (const prefix of buckets) {
    for (let after: BucketPosition | null | undefined; after !== null; ) {
      throwIfAborted(signal)
      const page = await digests.listBucketRecords(module, {
        ...{ prefix, after: after ?? null, limit: STEP },
      })
      after = page.next
      const absent = page.records.filter((record) => !isCovered(record, coverage))
      const free = absent.filter(({ is_held }) => !is_held)
      const undecided = free.filter((record) => !canBeMissing(record, query))
      yield {
        missing: free.filter((record) => canBeMissing(record, query)),
        held: absent.filter(({ is_held }) => is_held),
        undecided: undecided.length,
        pushedBefore: undecided.filter(({ pushed_seq }) => pushed_seq <= query.snapshotSeq).length,
      }
    }
  }
}

function isCovered(
  { record_id, reference_number }: RecordRef,
  { seen, stillMissing, rejected }: AbsentQuery['coverage'],
): boolean {
  return seen.has(record_id) || stillMissing.has(record_id) || rejected.has(reference_number)
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new HubError('pull_not_running')
}
