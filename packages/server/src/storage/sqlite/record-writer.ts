/**
 * The write path on SQLite: a batch of writes is one transaction on the writing connection, with prepared statements
 * and without an await, so no other work can run in between. It ends early if the stored records are large.
 * {@link BatchApplier} decides the writes.
 */
import type { HashReference } from '../../domain/record/erasure.ts'
import type {
  RecordRead,
  RecordStore,
  RecordWrite,
  WriteBatch,
  WriteOutcome,
  WriteRejection,
} from '../port/record-store.ts'
import {
  BatchApplier,
  type BatchSource,
  markSeen,
  type SeenRecord,
  type WriteAuthorization,
} from '../shared/records/batch-applier.ts'
import type { BatchChanges } from '../shared/records/batch-changes.ts'
import {
  type KeyPlatform,
  MAX_LOADED_BYTES,
  type WritableModule,
} from '../shared/records/write-rows.ts'
import { beginImmediate } from './begin-immediate.ts'
import type { SqliteConnections } from './connection.ts'
import { isRejectedRow } from './map-error.ts'
import { prepareRevertStatements, type RevertStatements } from './revert-statements.ts'
import { prepareWriteStatements, type WriteStatements } from './write-statements.ts'

type End = 'COMMIT' | 'ROLLBACK'
type Applied = { outcomes: WriteOutcome[]; seen: readonly SeenRecord[] }

/** @param node the name of this process's counter rows. */
export function createRecordWriter(
  connections: SqliteConnections,
  node: string,
  hashReference: HashReference,
): Pick<RecordStore, 'applyWrites' | 'tryWrites'> {
  const { database } = connections
  const statements = prepareWriteStatements(database)
  const reverts = prepareRevertStatements(database)

  /** Returns the outcomes of the first writes: those whose records fit in a transaction. */
  function runBatch(batch: WriteBatch, end: End, isolateWrites: boolean): WriteOutcome[] {
    beginImmediate(database)
    try {
      const maxBytes = end === 'COMMIT' ? MAX_LOADED_BYTES : Number.POSITIVE_INFINITY
      const source = createBatchSource(statements, reverts, { ...batch, hashReference, maxBytes })
      const { outcomes, seen } = isolateWrites
        ? applyOneByOne(batch, source)
        : applyTogether(batch, source)
      source.saveSequence()
      for (const key of source.authorization.outdatedKeys) statements.saveKeyUse(key, batch.at)
      database.exec(end)
      if (end === 'COMMIT') {
        markSeen(seen)
        connections.publish('records')
      }
      return outcomes
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }

  function applyTogether(
    batch: WriteBatch,
    source: SqliteBatchSource,
    seenBefore: readonly SeenRecord[] = [],
  ): Applied {
    const applier = new BatchApplier(source, { ...batch, seenBefore })
    const outcomes: WriteOutcome[] = []
    for (const write of batch.writes) {
      if (source.isFull()) break
      outcomes.push(applier.apply(write))
    }
    save(statements, reverts, applier.changes(), { at: batch.at, day: batch.day, node })
    return { outcomes, seen: applier.seen }
  }

  /** Applies each write within its own savepoint, so that only the writes that the database rejects fail. */
  function applyOneByOne(batch: WriteBatch, source: SqliteBatchSource): Applied {
    const seen: SeenRecord[] = []
    const applyOne = (write: RecordWrite): WriteOutcome[] => {
      database.exec('SAVEPOINT one_write')
      try {
        const applied = applyTogether({ ...batch, writes: [write] }, source, seen)
        database.exec('RELEASE one_write')
        seen.push(...applied.seen)
        return applied.outcomes
      } catch (error) {
        if (!isRejectedRow(error)) throw error
        database.exec('ROLLBACK TO one_write')
        database.exec('RELEASE one_write')
        return [{ outcome: 'rejected', code: 'record_not_storable' }]
      }
    }
    const outcomes: WriteOutcome[] = []
    for (const write of batch.writes) {
      if (source.isFull()) break
      outcomes.push(...applyOne(write))
    }
    return { outcomes, seen }
  }

  function applyFirst(batch: WriteBatch, end: End): Promise<WriteOutcome[]> {
    return connections.withWriteLock(() => {
      try {
        return runBatch(batch, end, false)
      } catch (error) {
        if (!isRejectedRow(error)) throw error
        // Savepoints are expensive, so they are used only after the database has rejected a row.
        return runBatch(batch, end, true)
      }
    })
  }

  async function apply(batch: WriteBatch, end: End): Promise<WriteOutcome[]> {
    const outcomes: WriteOutcome[] = []
    do {
      const writes = batch.writes.slice(outcomes.length)
      outcomes.push(...(await applyFirst({ ...batch, writes }, end)))
    } while (outcomes.length < batch.writes.length)
    return outcomes
  }

  return {
    applyWrites: (batch) => apply(batch, 'COMMIT'),
    tryWrites: (batch) => apply(batch, 'ROLLBACK'),
  }
}

function save(
  statements: WriteStatements,
  reverts: RevertStatements,
  changes: BatchChanges,
  when: { at: string; day: string; node: string },
): void {
  const { at } = when
  statements.insertRecords(changes.inserted, at)
  for (const record of changes.updated) statements.updateRecord(record, at)
  for (const record of changes.touched) statements.touchRecord(record)
  statements.appendHistory(changes.history, at)
  statements.appendActivity(changes.activity, at)
  for (const result of changes.replayed) statements.saveReplay(result, at)
  reverts.saveReverted(changes.reverted)
  reverts.liftHolds(changes.liftedHolds)
  reverts.insertHolds(changes.newHolds, at)
  for (const counts of changes.counters.platforms()) statements.addHourly(counts, when)
  for (const count of changes.modules) statements.addToModule(count, when.node)
  for (const drift of changes.counters.drifts()) statements.addDrift(drift, when)
  statements.addToSums(changes.sums)
}

type SqliteBatchSource = BatchSource & {
  /** Saves the last allocated number of the write sequence. */
  saveSequence: () => void
  /** Whether the transaction has loaded as much as it may. */
  isFull: () => boolean
}

/**
 * The {@link BatchSource} on SQLite, which reads each row when the applier needs it.
 * @param at the time of the writes, RFC 3339 in UTC.
 */
function createBatchSource(
  statements: WriteStatements,
  reverts: RevertStatements,
  { at, hashReference, maxBytes }: { at: string; hashReference: HashReference; maxBytes: number },
): SqliteBatchSource {
  const firstSequence = statements.readSequence()
  let sequence = firstSequence
  let lastRecordId: number | null = null
  let loaded = 0
  const heldModules = new Map<number, boolean>()
  const running = new Map<string, boolean>()
  return {
    authorization: {
      ...createAuthorization(statements, at),
      isReverting: ({ revert_id, owner }) =>
        memoize(running, `${revert_id} ${owner}`, () => reverts.isRunning(revert_id, owner)),
    },
    findTombstone(write, module) {
      if (!module.hasTombstones) return null
      const { reference_number } = write
      return statements.findTombstone(hashReference({ ...module, reference_number }))
    },
    findHolds({ module_id }, recordId) {
      const isHeld = memoize(heldModules, module_id, () => reverts.hasHolds(module_id))
      return isHeld ? reverts.findHolds(recordId) : []
    },
    peekRecord: (write, module) => statements.peekRecord(module, write.reference_number),
    loadRecord(module, reference, peeked) {
      const record = peeked === null ? null : statements.loadRecord(module, reference)
      loaded += record?.data.length ?? 0
      return record
    },
    allocateRecordId() {
      lastRecordId = (lastRecordId ?? statements.readLastRecordId()) + 1
      return lastRecordId
    },
    allocateSequence: () => ++sequence,
    saveSequence() {
      if (sequence !== firstSequence) statements.saveSequence(sequence)
    },
    isFull: () => loaded >= maxBytes,
  }
}

function createAuthorization(
  statements: WriteStatements,
  at: string,
): Omit<WriteAuthorization, 'isReverting'> {
  const outdatedKeys: number[] = []
  const platforms = new Map<number, KeyPlatform | null>()
  const modules = new Map<string, WritableModule | null>()
  const reads = new Map<RecordRead, WritableModule | WriteRejection>()
  return {
    outdatedKeys,
    platformOfKey: (hubKeyId) =>
      memoize(platforms, hubKeyId, () => {
        const found = statements.findPlatformOfKey(hubKeyId, at)
        if (found?.isUseOutdated) outdatedKeys.push(hubKeyId)
        return found?.platform ?? null
      }),
    registeredModule: (platformId, recordType) =>
      memoize(modules, `${platformId} ${recordType}`, () =>
        statements.findRegisteredModule(platformId, recordType),
      ),
    moduleOfRead: (read) => memoize(reads, read, () => statements.findModuleOfRead(read)),
    rejectionOf: (write) => statements.findRejection(write),
  }
}

function memoize<Key, Value>(cache: Map<Key, Value>, key: Key, find: () => Value): Value {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const found = find()
  cache.set(key, found)
  return found
}
