/**
 * The statements of the write path, each for many rows at once, on a connection that sends one without
 * waiting for the answer to the one before.
 */
import type { PoolClient, QueryResult } from 'pg'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { RecordChange, RecordState } from '../../domain/record/record.ts'
import type { ReadPlace } from '../port/record-store.ts'
import type { DriftCount, HourlyCounts, ModuleCount } from '../shared/counters/counter-deltas.ts'
import { historyText } from '../shared/records/history-text.ts'
import {
  clocksText,
  type KnownRecord,
  type StoredRecord,
  type Tombstone,
  toKnownRecord,
  toStoredRecord,
  toTombstone,
} from '../shared/records/write-rows.ts'
import { integerOf, type Row, textOf } from '../shared/schema/columns.ts'
import { bigintArray, textArray } from './array-parameters.ts'
import { SIDE_SQL } from './audit-sql.ts'
import { HOLD_UNSETTLED } from './commit-watermark.ts'
import { jsonCopy } from './json-copy.ts'
import { REJECTED_PUSHES_LOCK, WRITE_GATES_LOCK } from './locks.ts'

/** Which record: the module by its type, since a push knows no number of it. */
export type RecordKey = { platform_id: number; record_type: string; reference_number: string }

/** What is stored under a key, locked; where there is nothing, an id for a new record. */
export type LoadedRecord =
  | { stored: StoredRecord; new_record_id: null }
  | { stored: null; new_record_id: number }

export type InsertedRecord = {
  record_id: number
  platform_id: number
  module_id: number
  reference_number: string
  change_seq: number
  next: RecordState
}

export type UpdatedRecord = Omit<InsertedRecord, 'module_id' | 'reference_number'>

export type TouchedRecord = Pick<InsertedRecord, 'record_id' | 'next'>

export type HistoryLine = {
  platform_id: number
  record_id: number
  change_seq: number
  source: string
  changes: RecordChange[]
  pull_id: number | null
  request_id: string | null
}

/** What became of a rejected push. */
export type ReplayedLine = {
  rejected_push_id: number
  actor: string
  outcome: string
  record_id: number
}

export type WriteStatements = ReturnType<typeof createWriteStatements>

export function createWriteStatements(client: PoolClient) {
  /** What failed first: what was sent after it only says that the transaction is broken. */
  let failure: unknown = null
  const blame = (error: unknown) => {
    failure ??= error
    throw failure
  }
  const run = (name: keyof typeof SQL, ...values: unknown[]): Promise<QueryResult<Row>> =>
    client.query<Row>({ name, text: SQL[name], values }).catch(blame)
  const command = (text: string): Promise<QueryResult> => client.query(text).catch(blame)

  return {
    /**
     * Begins, and holds off until the end whoever changes what allows writes, and readers that follow
     * the write sequence.
     */
    async begin(): Promise<void> {
      await Promise.all([
        command('BEGIN ISOLATION LEVEL READ COMMITTED'),
        // In a statement of its own: the next one's snapshot must be taken after the wait.
        command(
          `SELECT pg_advisory_xact_lock_shared(${WRITE_GATES_LOCK}), ${HOLD_UNSETTLED}
           FROM write_sequence`,
        ),
      ])
    },

    /** @throws Error where the server has rolled back instead. */
    async commit(): Promise<void> {
      const answer = await command('COMMIT')
      if (answer.command !== 'COMMIT') throw new Error(`COMMIT was answered with ${answer.command}`)
    },

    rollback: () => command('ROLLBACK'),

    setSavepoint: () => command('SAVEPOINT one_write'),
    releaseSavepoint: () => command('RELEASE one_write'),
    async rollbackToSavepoint(): Promise<void> {
      await client.query('ROLLBACK TO one_write')
      failure = null
    },

    findKeys: async (hubKeyIds: number[], at: string): Promise<Row[]> =>
      (await run('findKeys', bigintArray(hubKeyIds), at)).rows,
    noteKeyUse: (hubKeyIds: number[], at: string) => run('noteKeyUse', bigintArray(hubKeyIds), at),

    findModules: async (modules: { platform_id: number; record_type: string }[]): Promise<Row[]> =>
      (
        await run(
          'findModules',
          bigintArray(modules.map((module) => module.platform_id)),
          textArray(modules.map((module) => module.record_type)),
        )
      ).rows,

    /** A row a read, with its `ord` from 1; none for a module that is not there. */
    findReadings: async (reads: ReadPlace[]): Promise<Row[]> =>
      (
        await run(
          'findReadings',
          bigintArray(reads.map((read) => read.pull_id)),
          bigintArray(reads.map((read) => read.module_id)),
          bigintArray(reads.map((read) => read.platform_id)),
        )
      ).rows,

    /** A row a rejected push that is there. Nobody else replays it, or comes to keep it again, until the end. */
    async findRefusals(rejectedPushIds: number[]): Promise<Row[]> {
      const [, { rows }] = await Promise.all([
        command(`SELECT pg_advisory_xact_lock(${REJECTED_PUSHES_LOCK})`),
        run('findRefusals', bigintArray(rejectedPushIds)),
      ])
      return rows
    },

    markReplayed: (lines: ReplayedLine[], at: string) =>
      run(
        'markReplayed',
        at,
        bigintArray(lines.map((line) => line.rejected_push_id)),
        textArray(lines.map((line) => line.actor)),
        textArray(lines.map((line) => line.outcome)),
        bigintArray(lines.map((line) => line.record_id)),
      ),

    /** By the hashes of their references; only what was erased is there. */
    async findTombstones(referenceHashes: string[]): Promise<Map<string, Tombstone>> {
      const { rows } = await run('findTombstones', textArray(referenceHashes))
      return new Map(rows.map((row) => [textOf(row, 'reference_hash'), toTombstone(row)]))
    },

    /** What is known of a module's records, not locked. */
    async lookUp(
      module: { platform_id: number; module_id: number },
      references: string[],
    ): Promise<Map<string, KnownRecord>> {
      const { rows } = await run(
        'lookUp',
        module.platform_id,
        module.module_id,
        textArray(references),
      )
      return new Map(rows.map((row) => [textOf(row, 'reference_number'), toKnownRecord(row)]))
    },

    /** Locks what is stored, in the order of the keys; a record each, in that order. */
    async load(keys: RecordKey[]): Promise<LoadedRecord[]> {
      const { rows } = await run(
        'load',
        bigintArray(keys.map((key) => key.platform_id)),
        textArray(keys.map((key) => key.record_type)),
        textArray(keys.map((key) => key.reference_number)),
      )
      return rows.map((row) =>
        row['record_id'] === null
          ? { stored: null, new_record_id: integerOf(row, 'new_record_id') }
          : { stored: toStoredRecord(row), new_record_id: null },
      )
    },

    /** The next numbers of the write sequence, rising. */
    nextNumbers: async (count: number): Promise<number[]> =>
      (await run('nextNumbers', count)).rows.map((row) => integerOf(row, 'number')),

    /** Ids for new records, rising. */
    nextIds: async (count: number): Promise<number[]> =>
      (await run('nextIds', count)).rows.map((row) => integerOf(row, 'number')),

    /** Fails with a violation of `records_identity` where another node was first. */
    insertRecords: (records: InsertedRecord[], at: string) =>
      run(
        'insertRecords',
        at,
        ...stateColumns(records),
        bigintArray(records.map((record) => record.module_id)),
        textArray(records.map((record) => record.reference_number)),
      ),

    updateRecords: (records: UpdatedRecord[], at: string) =>
      run('updateRecords', at, ...stateColumns(records)),

    touchRecords: (records: TouchedRecord[]) =>
      run(
        'touchRecords',
        bigintArray(records.map((record) => record.record_id)),
        textArray(records.map(({ next }) => next.source_hash)),
        textArray(records.map(({ next }) => clocksText(next.field_clocks))),
        bigintArray(records.map(({ next }) => next.pushed_seq)),
        textArray(records.map(({ next }) => next.pushed_at)),
        textArray(records.map(({ next }) => next.pulled_at)),
      ),

    appendHistory: (lines: HistoryLine[], at: string) =>
      run(
        'appendHistory',
        at,
        bigintArray(lines.map((line) => line.platform_id)),
        bigintArray(lines.map((line) => line.record_id)),
        bigintArray(lines.map((line) => line.change_seq)),
        textArray(lines.map((line) => line.source)),
        textArray(lines.map((line) => historyText(line.changes))),
        bigintArray(lines.map((line) => line.pull_id)),
        textArray(lines.map((line) => line.request_id)),
      ),

    appendActivity: (lines: NewActivity[], at: string) =>
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

    addHourly: (counts: HourlyCounts[], when: { at: string; day: string; node: string }) =>
      run(
        'addHourly',
        when.day,
        when.at.slice(0, 13),
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

    addToModules: (counts: ModuleCount[], when: { at: string; node: string }) =>
      run(
        'addToModules',
        when.node,
        when.at,
        bigintArray(counts.map((count) => count.platform_id)),
        bigintArray(counts.map((count) => count.module_id)),
        bigintArray(counts.map((count) => count.created)),
        bigintArray(counts.map((count) => count.pushes)),
      ),

    addDrift: (drifts: DriftCount[], when: { at: string; node: string }) =>
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

/** In the order of the statements' parameters from $2 on. */
function stateColumns(records: UpdatedRecord[]): unknown[] {
  return [
    bigintArray(records.map((record) => record.platform_id)),
    bigintArray(records.map((record) => record.record_id)),
    textArray(records.map(({ next }) => next.full_name)),
    textArray(records.map(({ next }) => next.data)),
    textArray(records.map(({ next }) => jsonCopy(next.data))),
    textArray(records.map(({ next }) => next.source_hash)),
    bigintArray(records.map(({ next }) => (next.incomplete ? 1 : 0))),
    textArray(records.map(({ next }) => next.missing_since)),
    textArray(records.map(({ next }) => clocksText(next.field_clocks))),
    bigintArray(records.map(({ next }) => next.pushed_seq)),
    textArray(records.map(({ next }) => next.pushed_at)),
    textArray(records.map(({ next }) => next.pulled_at)),
    bigintArray(records.map((record) => record.change_seq)),
  ]
}

const STATE_PARAMETERS = `$2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::text[], $13::text[],
  $14::bigint[]`
const STATE_COLUMNS = `platform_id, record_id, full_name, data, copy, source_hash, incomplete,
  missing_since, field_clocks, pushed_seq, pushed_at, pulled_at, change_seq`

const GATE_COLUMNS = `m.module_id, m.platform_id, m.record_type, m.module_name, m.last_read_snapshot_seq,
  m.last_read_requested_at, p.platform_name, EXISTS (SELECT 1 FROM tombstones t
    WHERE t.platform_name = p.platform_name AND t.record_type = m.record_type)::int AS has_tombstones`

const SQL = {
  findKeys: `
    SELECT k.hub_key_id, k.platform_id, k.last_used_at, p.platform_name, p.display_title
    FROM hub_keys k JOIN platforms p ON p.platform_id = k.platform_id
    WHERE k.hub_key_id = ANY ($1::bigint[]) AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > $2) AND p.status = 'active'`,
  noteKeyUse: 'UPDATE hub_keys SET last_used_at = $2 WHERE hub_key_id = ANY ($1::bigint[])',
  findModules: `
    SELECT ${GATE_COLUMNS}
    FROM unnest($1::bigint[], $2::text[]) AS w (platform_id, record_type)
    JOIN modules m ON m.platform_id = w.platform_id AND m.record_type = w.record_type
    JOIN platforms p ON p.platform_id = m.platform_id
    WHERE m.registered_at IS NOT NULL`,
  findReadings: `
    SELECT r.ord::int, ${GATE_COLUMNS}, m.registered_at, p.status, u.state AS pull_state
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
      WITH ORDINALITY AS r (pull_id, module_id, platform_id, ord)
    JOIN modules m ON m.module_id = r.module_id AND m.platform_id = r.platform_id
    JOIN platforms p ON p.platform_id = m.platform_id
    LEFT JOIN pulls u ON u.pull_id = r.pull_id`,
  findTombstones: `
    SELECT reference_hash, record_id, mode FROM tombstones WHERE reference_hash = ANY ($1::text[])`,
  lookUp: `
    SELECT k.reference AS reference_number, r.*
    FROM unnest($3::text[]) AS k (reference)
    CROSS JOIN LATERAL (
      SELECT record_id, source_hash, incomplete, missing_since, pushed_seq
      FROM records
      WHERE platform_id = $1 AND module_id = $2 AND reference_number = k.reference
      OFFSET 0
    ) r`,
  // Row after row in the order of the keys, each found by its index and locked.
  load: `
    SELECT r.*,
      CASE WHEN r.record_id IS NULL THEN nextval('records_record_id_seq') END AS new_record_id
    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS k (platform_id, record_type, reference)
    LEFT JOIN LATERAL (
      SELECT record_id, full_name, data, source_hash, incomplete, missing_since, field_clocks,
        pushed_seq, pushed_at, pulled_at
      FROM records
      WHERE platform_id = k.platform_id AND reference_number = k.reference AND module_id =
        (SELECT module_id FROM modules m
          WHERE m.platform_id = k.platform_id AND m.record_type = k.record_type)
      FOR NO KEY UPDATE
    ) r ON true`,
  nextIds: `SELECT nextval('records_record_id_seq') AS number FROM generate_series(1, $1::int)`,
  nextNumbers: `SELECT nextval('write_sequence') AS number FROM generate_series(1, $1::int)`,
  insertRecords: `
    INSERT INTO records (platform_id, record_id, full_name, data, data_copy, source_hash,
      incomplete, missing_since, field_clocks, pushed_seq, pushed_at, pulled_at, change_seq,
      module_id, reference_number, created_at, updated_at)
    SELECT platform_id, record_id, full_name, data, coalesce(copy, data)::jsonb, source_hash,
      incomplete, missing_since, field_clocks, pushed_seq, pushed_at, pulled_at, change_seq,
      module_id, reference_number, $1, $1
    FROM unnest(${STATE_PARAMETERS}, $15::bigint[], $16::text[])
      AS w (${STATE_COLUMNS}, module_id, reference_number)`,
  updateRecords: `
    UPDATE records r SET full_name = w.full_name, data = w.data,
      data_copy = coalesce(w.copy, w.data)::jsonb, source_hash = w.source_hash,
      incomplete = w.incomplete, missing_since = w.missing_since, field_clocks = w.field_clocks,
      pushed_seq = w.pushed_seq, pushed_at = w.pushed_at, pulled_at = w.pulled_at,
      change_seq = w.change_seq, updated_at = $1
    FROM unnest(${STATE_PARAMETERS}) AS w (${STATE_COLUMNS})
    WHERE r.record_id = w.record_id`,
  touchRecords: `
    UPDATE records r SET source_hash = w.source_hash, field_clocks = w.field_clocks,
      pushed_seq = w.pushed_seq, pushed_at = w.pushed_at, pulled_at = w.pulled_at
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
      AS w (record_id, source_hash, field_clocks, pushed_seq, pushed_at, pulled_at)
    WHERE r.record_id = w.record_id`,
  ...SIDE_SQL,
} as const
