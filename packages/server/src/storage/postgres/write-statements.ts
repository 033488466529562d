/**
 * The statements of the write path on a pipelining connection. Each statement processes many rows. It is sent when its
 * method is called, without waiting for the responses to earlier statements.
 */
import type { PoolClient, QueryResult } from 'pg'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { Hold } from '../../domain/revert/hold.ts'
import { toHour } from '../../lib/time/clock.ts'
import type { ReadRef } from '../port/record-store.ts'
import type { DriftCount, HourlyCounts, ModuleCount } from '../shared/counters/counter-deltas.ts'
import type {
  BatchChanges,
  LiftedHold,
  NewHistoryEntry,
  NewHold,
  ReplayResult,
  SavedRecord,
  TouchedRecord,
} from '../shared/records/batch-changes.ts'
import type { SumDelta } from '../shared/records/digest-deltas.ts'
import {
  formatChanges,
  formatClocks,
  type KnownRecord,
  type StoredRecord,
  type Tombstone,
  toHold,
  toKnownRecord,
  toStoredRecord,
  toTombstone,
} from '../shared/records/write-rows.ts'
import { integerOf, type Row, textOf } from '../shared/schema/databases.ts'
import { ACQUIRE_IN_FLIGHT_LOCK } from './commit-watermark.ts'
import { REJECTED_PUSHES_LOCK, WRITE_AUTHORIZATION_LOCK } from './locks.ts'
import { bigintArray, textArray } from './parameters.ts'
import { WRITE_SQL } from './write-sql.ts'

/** Identifies a record before its module's id is known: a push names the module by its type. */
export type RecordKey = { platform_id: number; record_type: string; reference_number: string }

/** `bytes` is the size of its data. */
export type PeekedRecord = KnownRecord & { bytes: number }

/** The locked record of a key; if there is none, an id for a new record. */
export type LockedRecord =
  | { stored: StoredRecord; new_record_id: null }
  | { stored: null; new_record_id: number }

/** @param data of the rows of `lockRecords` that have none. */
export function toLockedRecord(row: Row, data: ReadonlyMap<number, string>): LockedRecord {
  if (row['record_id'] === null) {
    return { stored: null, new_record_id: integerOf(row, 'new_record_id') }
  }
  const large = data.get(integerOf(row, 'record_id'))
  const whole = large === undefined ? row : { ...row, data: large }
  return { stored: toStoredRecord(whole), new_record_id: null }
}

export type WriteStatements = ReturnType<typeof createWriteStatements>

export function createWriteStatements(client: PoolClient) {
  /** The first error. Every later statement fails as well, but only because the transaction is aborted. */
  let firstError: unknown = null
  const throwFirst = (error: unknown) => {
    firstError ??= error
    throw firstError
  }
  const run = (name: keyof typeof WRITE_SQL, ...values: unknown[]): Promise<QueryResult<Row>> =>
    client.query<Row>({ name, text: WRITE_SQL[name], values }).catch(throwFirst)
  const command = (text: string): Promise<QueryResult> => client.query(text).catch(throwFirst)
  const findRows = async (name: keyof typeof WRITE_SQL, ...values: unknown[]): Promise<Row[]> =>
    (await run(name, ...values)).rows

  return {
    /** Begins the transaction, and acquires the two shared locks of every write. */
    async begin(): Promise<void> {
      await Promise.all([
        command('BEGIN ISOLATION LEVEL READ COMMITTED'),
        command(
          `SELECT pg_advisory_xact_lock_shared(${WRITE_AUTHORIZATION_LOCK}), ${ACQUIRE_IN_FLIGHT_LOCK}
           FROM write_sequence`,
        ),
      ])
    },

    /** @throws Error if the server has rolled back instead, as it does with an aborted transaction. */
    async commit(): Promise<void> {
      const result = await command('COMMIT')
      if (result.command !== 'COMMIT') throw new Error(`COMMIT returned ${result.command}`)
    },

    rollback: () => command('ROLLBACK'),

    setSavepoint: () => command('SAVEPOINT one_write'),
    releaseSavepoint: () => command('RELEASE one_write'),
    async rollbackToSavepoint(): Promise<void> {
      await client.query('ROLLBACK TO one_write')
      firstError = null
    },

    findKeys: (hubKeyIds: number[], at: string) => findRows('findKeys', bigintArray(hubKeyIds), at),

    saveKeyUse: (hubKeyIds: readonly number[], at: string) =>
      run('saveKeyUse', bigintArray(hubKeyIds), at),

    findModules: (modules: { platform_id: number; record_type: string }[]) =>
      findRows(
        'findModules',
        bigintArray(modules.map((module) => module.platform_id)),
        textArray(modules.map((module) => module.record_type)),
      ),

    /** Returns one row per read whose module exists, with the position of the read (`ord`, from 1). */
    findModulesOfReads: (reads: ReadRef[]) =>
      findRows(
        'findModulesOfReads',
        bigintArray(reads.map((read) => read.pull_id)),
        bigintArray(reads.map((read) => read.module_id)),
        bigintArray(reads.map((read) => read.platform_id)),
      ),

    /** Returns one row per existing rejected push. No other transaction replays or saves any before this one ends. */
    async findRejections(rejectedPushIds: number[]): Promise<Row[]> {
      const [, rows] = await Promise.all([
        command(`SELECT pg_advisory_xact_lock(${REJECTED_PUSHES_LOCK})`),
        findRows('findRejections', bigintArray(rejectedPushIds)),
      ])
      return rows
    },

    saveReplays: (results: readonly ReplayResult[], at: string) =>
      run(
        'saveReplays',
        at,
        bigintArray(results.map((result) => result.rejected_push_id)),
        textArray(results.map((result) => result.actor)),
        textArray(results.map((result) => result.outcome)),
        bigintArray(results.map((result) => result.record_id)),
      ),

    /** Returns the holds of locked records. */
    async findHolds(recordIds: readonly number[]): Promise<Map<number, Hold[]>> {
      const rows = await findRows('findHolds', bigintArray(recordIds))
      return Map.groupBy(rows.map(toHold), (hold) => hold.record_id)
    },

    /** Returns those of the modules that have holds, as `platform_id` and `record_type`. */
    findHeldModules: (modules: readonly { platform_id: number; record_type: string }[]) =>
      findRows(
        'findHeldModules',
        bigintArray(modules.map((module) => module.platform_id)),
        textArray(modules.map((module) => module.record_type)),
      ),

    /** Returns the running reverts with the processes that run them. */
    findRunningReverts: (revertIds: number[]) =>
      findRows('findRunningReverts', bigintArray(revertIds)),

    saveReverted: (records: readonly BatchChanges['reverted'][number][]) =>
      run(
        'saveReverted',
        bigintArray(records.map((record) => record.revert_id)),
        bigintArray(records.map((record) => record.record_id)),
        bigintArray(records.map((record) => (record.creates ? 1 : 0))),
        bigintArray(records.map((record) => (record.held ? 1 : 0))),
      ),

    insertHolds: (holds: readonly NewHold[], at: string) =>
      run(
        'insertHolds',
        at,
        bigintArray(holds.map((hold) => hold.record_id)),
        bigintArray(holds.map((hold) => hold.revert_id)),
        textArray(holds.map((hold) => hold.path)),
        bigintArray(holds.map((hold) => hold.platform_id)),
        bigintArray(holds.map((hold) => hold.module_id)),
        textArray(holds.map((hold) => hold.refused)),
      ),

    beginEpochs: (holds: readonly LiftedHold[]) =>
      run('beginEpochs', bigintArray(holds.map((hold) => hold.record_id))),

    liftHolds: (holds: readonly LiftedHold[]) =>
      run(
        'liftHolds',
        bigintArray(holds.map((hold) => hold.record_id)),
        bigintArray(holds.map((hold) => hold.revert_id)),
        textArray(holds.map((hold) => hold.kind)),
      ),

    /** Returns the existing tombstones by the hashes of their references. */
    async findTombstones(referenceHashes: string[]): Promise<Map<string, Tombstone>> {
      const rows = await findRows('findTombstones', textArray(referenceHashes))
      return new Map(rows.map((row) => [textOf(row, 'reference_hash'), toTombstone(row)]))
    },

    /** Returns the existing records by their references, without a lock. */
    async peekRecords(
      { platform_id, module_id }: ReadRef,
      references: string[],
    ): Promise<Map<string, PeekedRecord>> {
      const rows = await findRows('peekRecords', platform_id, module_id, textArray(references))
      return new Map(
        rows.map((row) => [
          textOf(row, 'reference_number'),
          { ...toKnownRecord(row), bytes: integerOf(row, 'bytes') },
        ]),
      )
    },

    /**
     * Locks the existing records, in the order of the keys. Returns one row per key, in the same order, for
     * `toLockedRecord`. `bytes` is the size of its data; larger data than `MAX_LOCKED_BYTES` are null.
     */
    lockRecords: (keys: RecordKey[]) =>
      findRows(
        'lockRecords',
        bigintArray(keys.map((key) => key.platform_id)),
        textArray(keys.map((key) => key.record_type)),
        textArray(keys.map((key) => key.reference_number)),
      ),

    /** Returns the data of locked records. */
    async readData(recordIds: number[]): Promise<Map<number, string>> {
      const rows = await findRows('readData', bigintArray(recordIds))
      return new Map(rows.map((row) => [integerOf(row, 'record_id'), textOf(row, 'data')]))
    },

    /** Returns the next numbers of the write sequence, rising. */
    allocateSequence: async (count: number): Promise<number[]> =>
      (await findRows('allocateSequence', count)).map((row) => integerOf(row, 'number')),

    /** Returns ids for new records, rising. */
    allocateRecordIds: async (count: number): Promise<number[]> =>
      (await findRows('allocateRecordIds', count)).map((row) => integerOf(row, 'number')),

    /** Violates `records_identity` if another node has inserted one of the records. */
    insertRecords: (records: readonly SavedRecord[], at: string) =>
      run(
        'insertRecords',
        at,
        ...stateColumns(records),
        bigintArray(records.map((record) => record.module_id)),
        textArray(records.map((record) => record.reference_number)),
        bigintArray(records.map((record) => record.created_pull_id)),
      ),

    updateRecords: (records: readonly SavedRecord[], at: string) =>
      run(
        'updateRecords',
        at,
        ...stateColumns(records),
        bigintArray(records.map(({ isTakenBack }) => (isTakenBack ? 1 : 0))),
      ),

    touchRecords: (records: readonly TouchedRecord[]) =>
      run(
        'touchRecords',
        bigintArray(records.map((record) => record.record_id)),
        textArray(records.map(({ state }) => state.fingerprint)),
        textArray(records.map(({ state }) => formatClocks(state.field_clocks))),
        bigintArray(records.map(({ state }) => state.pushed_seq)),
        textArray(records.map(({ state }) => state.pushed_at)),
        textArray(records.map(({ state }) => state.pulled_at)),
        ...versionColumns(records),
      ),

    appendHistory: (entries: readonly NewHistoryEntry[], at: string) =>
      run(
        'appendHistory',
        at,
        bigintArray(entries.map((entry) => entry.platform_id)),
        bigintArray(entries.map((entry) => entry.record_id)),
        bigintArray(entries.map((entry) => entry.change_seq)),
        textArray(entries.map((entry) => entry.source)),
        textArray(entries.map((entry) => formatChanges(entry.changes))),
        bigintArray(entries.map((entry) => entry.pull_id)),
        textArray(entries.map((entry) => entry.request_id)),
        bigintArray(entries.map((entry) => entry.revert_id)),
      ),

    appendActivity: (lines: readonly NewActivity[], at: string) =>
      run(
        'appendActivity',
        at,
        textArray(lines.map((line) => line.level)),
        textArray(lines.map((line) => line.kind)),
        bigintArray(lines.map((line) => line.platform?.platform_id ?? null)),
        textArray(lines.map((line) => line.platform?.platform_name ?? null)),
        bigintArray(lines.map((line) => line.record_id ?? null)),
        textArray(lines.map((line) => line.actor ?? null)),
        textArray(lines.map((line) => line.message)),
        textArray(lines.map((line) => JSON.stringify(line.details ?? {}))),
      ),

    addHourly: (counts: readonly HourlyCounts[], when: { at: string; day: string; node: string }) =>
      run(
        'addHourly',
        when.day,
        toHour(when.at),
        when.node,
        bigintArray(counts.map((count) => count.platform_id)),
        bigintArray(counts.map((count) => count.received_post)),
        bigintArray(counts.map((count) => count.received_patch)),
        bigintArray(counts.map((count) => count.received_pull)),
        bigintArray(counts.map((count) => count.created)),
        bigintArray(counts.map((count) => count.updated)),
        bigintArray(counts.map((count) => count.unchanged)),
        bigintArray(counts.map((count) => count.stale)),
      ),

    addToModules: (counts: readonly ModuleCount[], node: string) =>
      run(
        'addToModules',
        node,
        bigintArray(counts.map((count) => count.platform_id)),
        bigintArray(counts.map((count) => count.module_id)),
        bigintArray(counts.map((count) => count.created)),
        bigintArray(counts.map((count) => count.pushes)),
        bigintArray(counts.map((count) => count.invalidations)),
        bigintArray(counts.map((count) => count.versions)),
        bigintArray(counts.map((count) => count.version_sum)),
      ),

    addToSums: (deltas: readonly SumDelta[]) =>
      run(
        'addToSums',
        bigintArray(deltas.map((delta) => delta.platform_id)),
        bigintArray(deltas.map((delta) => delta.module_id)),
        bigintArray(deltas.map((delta) => delta.bucket)),
        bigintArray(deltas.map((delta) => delta.count)),
        bigintArray(deltas.map((delta) => delta.sum)),
      ),

    addDrift: (drifts: readonly DriftCount[], when: { at: string; node: string }) =>
      run(
        'addDrift',
        when.node,
        when.at,
        bigintArray(drifts.map((drift) => drift.platform_id)),
        bigintArray(drifts.map((drift) => drift.module_id)),
        textArray(drifts.map((drift) => drift.kind)),
        textArray(drifts.map((drift) => drift.key)),
        bigintArray(drifts.map((drift) => drift.count)),
      ),
  }
}

/** The parameters of `STATE_COLUMNS` in `write-sql.ts`. */
function stateColumns(records: readonly SavedRecord[]): unknown[] {
  return [
    bigintArray(records.map((record) => record.platform_id)),
    bigintArray(records.map((record) => record.record_id)),
    textArray(records.map(({ state }) => state.full_name)),
    textArray(records.map(({ state }) => state.data)),
    textArray(records.map(({ state }) => state.fingerprint)),
    bigintArray(records.map(({ state }) => (state.incomplete ? 1 : 0))),
    textArray(records.map(({ state }) => state.missing_since)),
    textArray(records.map(({ state }) => formatClocks(state.field_clocks))),
    bigintArray(records.map(({ state }) => state.pushed_seq)),
    textArray(records.map(({ state }) => state.pushed_at)),
    textArray(records.map(({ state }) => state.pulled_at)),
    ...versionColumns(records),
    bigintArray(records.map((record) => record.change_seq)),
  ]
}

function versionColumns(records: readonly TouchedRecord[]): unknown[] {
  return [
    textArray(records.map(({ state }) => state.version)),
    bigintArray(records.map(({ digest }) => digest.reference_hash)),
    bigintArray(records.map(({ digest }) => digest.version_hash)),
  ]
}
