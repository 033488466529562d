/**
 * The write path on PostgreSQL: a batch of writes is one transaction. Its connection pipelines: a statement is sent
 * without waiting for the response to the previous one, and the server runs them in order. `await` marks the round
 * trips, so a batch of pushes takes two and a batch of pulled records two or three.
 *
 * Steps of a batch
 *  1. BEGIN, then two shared advisory locks in one statement: the write authorization lock, which a transaction that
 *     revokes a permission acquires exclusively, and the in-flight lock, which holds back the commit watermark. This is
 *     a statement of its own, because the next statement must see the data as of the end of the wait.
 *  2. Load the authorization of the writes: hub keys, registered modules, running pulls, rejected pushes. A replay
 *     acquires the lock of rejected pushes first.
 *  3. Pushes and replays: lock their records in key order and allocate sequence numbers.
 *     Pulled records: peek at the columns that show whether they are unchanged, without a lock.
 *     — first round trip: steps 1 to 3 are sent together —
 *  4. Only if a module has erased records: look up tombstones. — one round trip —
 *  5. Only for pulled records: lock those that have changed, in key order, and allocate ids and sequence numbers. If they
 *     are too large for one transaction, the batch ends before, and the next transaction begins there.
 *     — one round trip —
 *  6. {@link BatchApplier} decides every write in memory.
 *  7. Save: new records in key order, changed and touched records, history, activity, replays, then counters and the
 *     sums of modules (last, because other writers wait for these rows), the use of hub keys, COMMIT. — last round trip —
 *
 * Locks are acquired in the same order on every node (advisory locks, records in key order, counters and sums in id order), so
 * nodes wait for each other and never deadlock. docs/decisions/0004-locks-on-postgresql.md has the reasons.
 *
 * Retries: the batch runs again from step 1 after a conflict with another transaction, which is a serialization failure,
 * a deadlock, or an insert of a record that another node has just inserted (`isRetryable`). If the database
 * rejects a row, the batch runs once more with a savepoint around each write, so that only the rejected write fails;
 * each write then goes through steps 2 to 7 alone, except for the use of its key, which is saved at the end.
 */
import { randomInt } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { HashReference } from '../../domain/record/erasure.ts'
import type { RecordStore, WriteBatch, WriteOutcome } from '../port/record-store.ts'
import { BatchApplier, markSeen, type SeenRecord } from '../shared/records/batch-applier.ts'
import type { BatchChanges } from '../shared/records/batch-changes.ts'
import { MAX_LOADED_BYTES } from '../shared/records/write-rows.ts'
import { inKeyOrder, loadAuthorization, loadBatchSource } from './batch-source.ts'
import type { PostgresConnections } from './connection.ts'
import { isRejectedRow, isRetryable, withRetry } from './map-error.ts'
import { createWriteStatements, type WriteStatements } from './write-statements.ts'

/**
 * Number of row sets per counter. Writers of one row wait for each other, so each connection adds to a row set of its
 * own, and readers sum the sets. The number is fixed, so that nodes that start and end do not add rows forever.
 */
const COUNTER_ROWS = 32

type End = 'commit' | 'rollback'
type WriterDeps = {
  /** The name of the counter rows. */
  node: string
  /** Hashes the references of erased records. */
  hashReference: HashReference
  /** The data of stored records that a transaction of a pull loads. */
  maxBytes: number
}
type Applied = { outcomes: WriteOutcome[]; seen: readonly SeenRecord[] }

export function createRecordWriter(
  connections: Pick<PostgresConnections, 'withWriter' | 'publish'>,
  hashReference: HashReference,
): Pick<RecordStore, 'applyWrites' | 'tryWrites'> {
  const nodes = new WeakMap<PoolClient, string>()
  const nodeOf = (client: PoolClient) => {
    const node = nodes.get(client) ?? pickCounterRow()
    nodes.set(client, node)
    return node
  }
  const runBatch = (batch: WriteBatch, end: End, applyBatch: typeof applyTogether) =>
    withRetry(() =>
      connections.withWriter(async (client) => {
        const maxBytes = end === 'commit' ? MAX_LOADED_BYTES : Number.POSITIVE_INFINITY
        const deps = { node: nodeOf(client), hashReference, maxBytes }
        const { outcomes, seen } = await applyBatch(createWriteStatements(client), batch, deps, end)
        if (end === 'commit') {
          markSeen(seen)
          connections.publish('records')
        }
        return outcomes
      }),
    )
  /** Returns the outcomes of the first writes: those whose records fit in a transaction. */
  async function applyFirst(batch: WriteBatch, end: End): Promise<WriteOutcome[]> {
    try {
      return await runBatch(batch, end, applyTogether)
    } catch (error) {
      if (!isRejectedRow(error)) throw error
      // Savepoints are expensive, so they are used only after the database has rejected a row.
      return runBatch(batch, end, applyOneByOne)
    }
  }
  async function apply(batch: WriteBatch, end: End): Promise<WriteOutcome[]> {
    const outcomes: WriteOutcome[] = []
    while (outcomes.length < batch.writes.length) {
      const writes = batch.writes.slice(outcomes.length)
      outcomes.push(...(await applyFirst({ ...batch, writes }, end)))
    }
    return outcomes
  }
  return {
    applyWrites: (batch) => apply(batch, 'commit'),
    tryWrites: (batch) => apply(batch, 'rollback'),
  }
}

/** Picks a set of counter rows for a writer. */
export function pickCounterRow(): string {
  return String(randomInt(COUNTER_ROWS))
}

async function applyTogether(
  statements: WriteStatements,
  batch: WriteBatch,
  deps: WriterDeps,
  end: End,
): Promise<Applied> {
  const [, { saving, outdatedKeys, ...applied }] = await Promise.all([
    statements.begin(),
    applyWrites(statements, batch, deps, []),
  ])
  await Promise.all([...saving, saveKeyUse(statements, outdatedKeys, batch), statements[end]()])
  return applied
}

async function applyOneByOne(
  statements: WriteStatements,
  batch: WriteBatch,
  deps: WriterDeps,
  end: End,
): Promise<Applied> {
  const [, { outdatedKeys }] = await Promise.all([
    statements.begin(),
    loadAuthorization(statements, batch),
  ])
  const outcomes: WriteOutcome[] = []
  const seen: SeenRecord[] = []
  for (const write of batch.writes) {
    await statements.setSavepoint()
    try {
      const applied = await applyWrites(statements, { ...batch, writes: [write] }, deps, seen)
      await Promise.all(applied.saving)
      await statements.releaseSavepoint()
      outcomes.push(...applied.outcomes)
      seen.push(...applied.seen)
    } catch (error) {
      if (!isRejectedRow(error) || isRetryable(error)) throw error
      await statements.rollbackToSavepoint()
      outcomes.push({ outcome: 'rejected', code: 'record_not_storable' })
    }
  }
  // A rejected push has used its key as well.
  await Promise.all([saveKeyUse(statements, outdatedKeys, batch), statements[end]()])
  return { outcomes, seen }
}

/** Loads, decides and saves writes. The outcomes are valid once everything in `saving` has resolved. */
async function applyWrites(
  statements: WriteStatements,
  batch: WriteBatch,
  { node, ...options }: WriterDeps,
  seenBefore: readonly SeenRecord[],
): Promise<Applied & { saving: Promise<unknown>[]; outdatedKeys: readonly number[] }> {
  const { at, day, maxRecordKeys } = batch
  const { source, count } = await loadBatchSource(statements, batch, options)
  const applier = new BatchApplier(source, { at, maxRecordKeys, seenBefore })
  const outcomes = batch.writes.slice(0, count).map((write) => applier.apply(write))
  const saving = save(statements, applier.changes(), { at, day, node })
  return { outcomes, seen: applier.seen, saving, outdatedKeys: source.authorization.outdatedKeys }
}

async function saveKeyUse(
  statements: WriteStatements,
  outdatedKeys: readonly number[],
  { at }: WriteBatch,
): Promise<void> {
  if (outdatedKeys.length > 0) await statements.saveKeyUse(outdatedKeys, at)
}

/** Sends one statement for each kind of change that the batch has. */
function save(
  statements: WriteStatements,
  changes: BatchChanges,
  when: { at: string; day: string; node: string },
): Promise<unknown>[] {
  const { at } = when
  const saving: Promise<unknown>[] = []
  function send<Row>(rows: readonly Row[], statement: (rows: readonly Row[]) => Promise<unknown>) {
    if (rows.length > 0) saving.push(statement(rows))
  }
  send(inKeyOrder(changes.inserted), (rows) => statements.insertRecords(rows, at))
  send(changes.updated, (rows) => statements.updateRecords(rows, at))
  send(changes.touched, (rows) => statements.touchRecords(rows))
  send(changes.history, (rows) => statements.appendHistory(rows, at))
  send(changes.activity, (rows) => statements.appendActivity(rows, at))
  send(changes.replayed, (rows) => statements.saveReplays(rows, at))
  send(changes.reverted, (rows) => statements.saveReverted(rows))
  // In this order: a revert may end a hold of a path that it holds itself.
  send(changes.liftedHolds, (rows) => statements.beginEpochs(rows))
  send(changes.liftedHolds, (rows) => statements.liftHolds(rows))
  send(changes.newHolds, (rows) => statements.insertHolds(rows, at))
  send(changes.counters.platforms(), (rows) => statements.addHourly(rows, when))
  send(changes.modules, (rows) => statements.addToModules(rows, when.node))
  send(changes.counters.drifts(), (rows) => statements.addDrift(rows, when))
  send(changes.sums, (rows) => statements.addToSums(rows))
  return saving
}
