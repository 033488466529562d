/** The statements of the write path, prepared once. They take and return typed values. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { NewActivity } from '../../domain/activity/activity.ts'
import { SUM_MODULUS } from '../../domain/record/digest-sums.ts'
import { toHour } from '../../lib/time/clock.ts'
import type { ReadRef, ReplayWrite, WriteRejection } from '../port/record-store.ts'
import {
  type DriftCount,
  type HourlyCounts,
  MAX_DRIFT_KEYS,
  type ModuleCount,
} from '../shared/counters/counter-deltas.ts'
import { distinctTitleSql } from '../shared/platforms/platform-rows.ts'
import type {
  NewHistoryEntry,
  ReplayResult,
  SavedRecord,
  TouchedRecord,
} from '../shared/records/batch-changes.ts'
import type { SumDelta } from '../shared/records/digest-deltas.ts'
import {
  formatChanges,
  formatClocks,
  isKeyUseOutdated,
  type KeyPlatform,
  type KnownRecord,
  type ReplayableRejection,
  type StoredRecord,
  type Tombstone,
  toKeyPlatform,
  toKnownRecord,
  toModuleOfRead,
  toReplayableRejection,
  toStoredRecord,
  toTombstone,
  toWritableModule,
  type WritableModule,
} from '../shared/records/write-rows.ts'
import { integerOf, type Row } from '../shared/schema/databases.ts'

export type WriteStatements = ReturnType<typeof prepareWriteStatements>

const TITLE = distinctTitleSql('p')

export function prepareWriteStatements(database: DatabaseSync) {
  const get = prepareGet(database)
  const run = prepareRun(database)
  const insert = prepareInsert(database)

  const readSequence = get('SELECT value FROM write_sequence')
  const readLastRecordId = get("SELECT seq FROM sqlite_sequence WHERE name = 'records'")
  const saveSequence = run('UPDATE write_sequence SET value = ?')
  const findPlatformOfKey = get(`
    SELECT k.platform_id, k.last_used_at, p.platform_name, ${TITLE} AS display_title
    FROM hub_keys k JOIN platforms p ON p.platform_id = k.platform_id
    WHERE k.hub_key_id = ? AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > ?) AND p.status = 'active'`)
  const saveKeyUse = run('UPDATE hub_keys SET last_used_at = ? WHERE hub_key_id = ?')
  const findModule = get(`
    SELECT ${MODULE_COLUMNS}
    FROM modules m JOIN platforms p ON p.platform_id = m.platform_id
    WHERE m.platform_id = ? AND m.record_type = ? AND m.registered_at IS NOT NULL`)
  const findModuleOfRead = get(`
    SELECT ${MODULE_COLUMNS}, m.registered_at, p.status,
      (SELECT state FROM pulls WHERE pull_id = ?) AS pull_state
    FROM modules m JOIN platforms p ON p.platform_id = m.platform_id
    WHERE m.module_id = ? AND m.platform_id = ?`)
  const findRejection = get(`
    SELECT r.code, r.replayed_at, r.replay_outcome, r.position_seq, r.position_at, p.platform_id,
      p.platform_name, ${TITLE} AS display_title, p.status,
      (SELECT group_concat(t.module_id) FROM pulls u JOIN pull_tasks t ON t.pull_id = u.pull_id
        WHERE u.state = 'running' AND t.state = 'running' AND t.platform_id = r.platform_id)
        AS modules_being_read
    FROM rejected_pushes r JOIN platforms p ON p.platform_id = r.platform_id
    WHERE r.rejected_push_id = ?`)
  const saveReplay = run(`
    UPDATE rejected_pushes SET replayed_at = ?, replayed_by = ?, replay_outcome = ?,
      replay_record_id = ?
    WHERE rejected_push_id = ?`)
  const findTombstone = get(`
    SELECT t.record_id, t.mode, r.missing_since FROM tombstones t
    LEFT JOIN records r ON r.record_id = t.record_id WHERE t.reference_hash = ?`)
  const peekRecord = get(`
    SELECT record_id, fingerprint, incomplete, missing_since, pushed_seq
    FROM records WHERE platform_id = ? AND module_id = ? AND reference_number = ?`)
  const loadRecord = get(`
    SELECT record_id, full_name, data, fingerprint, incomplete, missing_since, field_clocks,
      pushed_seq, pushed_at, pulled_at, change_seq, version, reference_hash, version_hash
    FROM records WHERE platform_id = ? AND module_id = ? AND reference_number = ?`)
  const insertRecords = insert('records', [
    ...['record_id', 'platform_id', 'module_id', 'reference_number', ...STATE_COLUMNS],
    ...['change_seq', 'created_pull_id', 'created_at', 'updated_at'],
  ])
  // A revert that makes a record missing again restores the reason, too, which remains while the record is present.
  const updateRecord = run(`
    UPDATE records SET full_name = ?1, data = CAST(?2 AS TEXT), fingerprint = ?3, incomplete = ?4, missing_since = ?5,
      field_clocks = ?6, pushed_seq = ?, pushed_at = ?, pulled_at = ?, version = ?,
      reference_hash = ?, version_hash = ?, change_seq = ?, updated_at = ?,
      taken_back = max(taken_back, ?)
    WHERE record_id = ?`)
  const touchRecord = run(`
    UPDATE records SET fingerprint = ?, field_clocks = ?, pushed_seq = ?, pushed_at = ?,
      pulled_at = ?, version = ?, reference_hash = ?, version_hash = ?
    WHERE record_id = ?`)
  const appendHistory = insert('record_history', [
    ...['platform_id', 'record_id', 'change_seq', 'at', 'source', 'changes', 'pull_id'],
    ...['request_id', 'revert_id'],
  ])
  const appendActivity = insert('activity', [
    ...['at', 'level', 'kind', 'platform_id', 'platform_name', 'record_id', 'actor', 'message'],
    'details',
  ])
  const addHourly = run(`
    INSERT INTO hourly_counters (day, hour, platform_id, node, received_post, received_patch,
      received_pull, created, updated, unchanged, stale, rejected)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
    ON CONFLICT DO UPDATE SET
      received_post = received_post + excluded.received_post,
      received_patch = received_patch + excluded.received_patch,
      received_pull = received_pull + excluded.received_pull,
      created = created + excluded.created, updated = updated + excluded.updated,
      unchanged = unchanged + excluded.unchanged, stale = stale + excluded.stale`)
  const addToModule = run(`
    INSERT INTO module_counters (platform_id, module_id, node, records, pushes, invalidations, versions, version_sum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET records = records + excluded.records,
      pushes = pushes + excluded.pushes, invalidations = invalidations + excluded.invalidations,
      versions = versions + excluded.versions,
      version_sum = (version_sum + excluded.version_sum) % ${SUM_MODULUS}`)

  const addToSums = insert(
    'digest_sums',
    ['platform_id', 'module_id', 'bucket', 'count', 'sum'],
    `ON CONFLICT DO UPDATE SET count = count + excluded.count,
      sum = (sum + excluded.sum) % ${SUM_MODULUS}`,
  )
  const addDrift = run(`
    INSERT INTO module_drift (platform_id, module_id, node, kind, key, count, first_at, last_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7
    WHERE (SELECT count(*) FROM module_drift
        WHERE platform_id = ?1 AND module_id = ?2 AND node = ?3 AND kind = ?4) < ${MAX_DRIFT_KEYS}
      OR EXISTS (SELECT 1 FROM module_drift
        WHERE platform_id = ?1 AND module_id = ?2 AND node = ?3 AND kind = ?4 AND key = ?5)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = excluded.last_at`)

  return {
    readSequence: (): number => integerOf(readSequence() ?? {}, 'value'),
    saveSequence: (value: number): void => void saveSequence(value),

    /** The highest record id that was ever used. */
    readLastRecordId(): number {
      const row = readLastRecordId()
      return row ? integerOf(row, 'seq') : 0
    },

    findPlatformOfKey(
      hubKeyId: number,
      at: string,
    ): { platform: KeyPlatform; isUseOutdated: boolean } | null {
      const row = findPlatformOfKey(hubKeyId, at)
      return row ? { platform: toKeyPlatform(row), isUseOutdated: isKeyUseOutdated(row, at) } : null
    },
    saveKeyUse: (hubKeyId: number, at: string): void => void saveKeyUse(at, hubKeyId),

    findRegisteredModule(platformId: number, recordType: string): WritableModule | null {
      const row = findModule(platformId, recordType)
      return row ? toWritableModule(row) : null
    },

    findModuleOfRead(read: ReadRef): WritableModule | WriteRejection {
      return toModuleOfRead(findModuleOfRead(read.pull_id, read.module_id, read.platform_id))
    },

    findRejection(write: ReplayWrite): ReplayableRejection | WriteRejection {
      return toReplayableRejection(findRejection(write.replay.rejected_push_id), write)
    },

    saveReplay({ rejected_push_id, actor, outcome, record_id }: ReplayResult, at: string): void {
      saveReplay(at, actor, outcome, record_id, rejected_push_id)
    },

    findTombstone(referenceHash: string): Tombstone | null {
      const row = findTombstone(referenceHash)
      return row ? toTombstone(row) : null
    },

    peekRecord(module: WritableModule, reference: string): KnownRecord | null {
      const row = peekRecord(module.platform_id, module.module_id, reference)
      return row ? toKnownRecord(row) : null
    },

    loadRecord(module: WritableModule, reference: string): StoredRecord | null {
      const row = loadRecord(module.platform_id, module.module_id, reference)
      return row ? toStoredRecord(row) : null
    },

    insertRecords(records: readonly SavedRecord[], at: string): void {
      insertRecords(records, (record) => [
        record.record_id,
        record.platform_id,
        record.module_id,
        record.reference_number,
        ...stateValues(record),
        record.change_seq,
        record.created_pull_id,
        at,
        at,
      ])
    },

    updateRecord(record: SavedRecord, at: string): void {
      const takenBack = record.isTakenBack ? 1 : 0
      updateRecord(...stateValues(record), record.change_seq, at, takenBack, record.record_id)
    },

    touchRecord({ record_id, state, digest }: TouchedRecord): void {
      const clocks = formatClocks(state.field_clocks)
      const { fingerprint, pushed_seq, pushed_at, pulled_at, version } = state
      const { reference_hash, version_hash } = digest
      const versions = [version, reference_hash, version_hash]
      touchRecord(fingerprint, clocks, pushed_seq, pushed_at, pulled_at, ...versions, record_id)
    },

    appendHistory(entries: readonly NewHistoryEntry[], at: string): void {
      appendHistory(entries, (entry) => [
        entry.platform_id,
        entry.record_id,
        entry.change_seq,
        at,
        entry.source,
        formatChanges(entry.changes),
        entry.pull_id,
        entry.request_id,
        entry.revert_id,
      ])
    },

    appendActivity(lines: readonly NewActivity[], at: string): void {
      appendActivity(lines, (line) => [
        at,
        line.level,
        line.kind,
        line.platform?.platform_id ?? null,
        line.platform?.platform_name ?? null,
        line.record_id ?? null,
        line.actor ?? null,
        line.message,
        JSON.stringify(line.details ?? {}),
      ])
    },

    addHourly(counts: HourlyCounts, when: { at: string; day: string; node: string }): void {
      addHourly(
        when.day,
        toHour(when.at),
        counts.platform_id,
        when.node,
        counts.received_post,
        counts.received_patch,
        counts.received_pull,
        counts.created,
        counts.updated,
        counts.unchanged,
        counts.stale,
      )
    },

    addToModule(count: ModuleCount, node: string): void {
      const { platform_id, module_id, created, pushes, invalidations } = count
      const { versions, version_sum } = count
      const added = [created, pushes, invalidations, versions, version_sum]
      addToModule(platform_id, module_id, node, ...added)
    },

    addToSums(deltas: readonly SumDelta[]): void {
      addToSums(deltas, ({ platform_id, module_id, bucket, count, sum }) => [
        platform_id,
        module_id,
        bucket,
        count,
        sum,
      ])
    },

    addDrift(drift: DriftCount, when: { at: string; node: string }): void {
      const { platform_id, module_id, kind, key, count } = drift
      addDrift(platform_id, module_id, when.node, kind, key, count, when.at)
    },
  }
}

const MODULE_COLUMNS = `m.module_id, m.platform_id, m.record_type, m.module_name, m.last_read_snapshot_seq,
  m.last_read_requested_at, coalesce(p.first_name, p.platform_name) AS first_name,
  EXISTS (SELECT 1 FROM tombstones t
    WHERE t.platform_name = coalesce(p.first_name, p.platform_name) AND t.record_type = m.record_type) AS has_tombstones,
  EXISTS (SELECT 1 FROM digest_sums d
    WHERE d.platform_id = m.platform_id AND d.module_id = m.module_id) AS uses_versions`

/** The columns of a record's state, in the order of `stateValues`. */
const STATE_COLUMNS = [
  ...['full_name', 'data', 'fingerprint', 'incomplete', 'missing_since', 'field_clocks'],
  ...['pushed_seq', 'pushed_at', 'pulled_at', 'version', 'reference_hash', 'version_hash'],
]

function stateValues({ state, digest }: SavedRecord): SQLInputValue[] {
  return [
    state.full_name,
    state.data,
    state.fingerprint,
    state.incomplete ? 1 : 0,
    state.missing_since,
    formatClocks(state.field_clocks),
    state.pushed_seq,
    state.pushed_at,
    state.pulled_at,
    state.version,
    digest.reference_hash,
    digest.version_hash,
  ]
}

function prepareGet(database: DatabaseSync) {
  return (sql: string) => {
    const statement = database.prepare(sql)
    return (...values: SQLInputValue[]): Row | undefined => statement.get(...values)
  }
}

/** The numbers of rows that one statement inserts. */
const ROWS_PER_INSERT = [32, 8, 1]

/**
 * Inserts many rows per statement. For each statement on a table whose ids are never reused, SQLite reads and updates
 * the last id in `sqlite_sequence`. @param onConflict the end of the statement.
 */
export function prepareInsert(database: DatabaseSync) {
  return (table: string, columns: readonly string[], onConflict = '') => {
    // Data of a pull are bytes, which SQLite would store as a blob.
    const row = `(${columns.map((column) => (column === 'data' ? 'CAST(? AS TEXT)' : '?')).join(', ')})`
    const statements = ROWS_PER_INSERT.map((count) => ({
      count,
      statement: database.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(count).fill(row).join(', ')} ${onConflict}`,
      ),
    }))
    return <Item>(items: readonly Item[], valuesOf: (item: Item) => SQLInputValue[]): void => {
      let inserted = 0
      for (const { count, statement } of statements) {
        for (; items.length - inserted >= count; inserted += count) {
          // An array that grows would be copied several times.
          const parameters = new Array<SQLInputValue>(count * columns.length)
          let at = 0
          for (const item of items.slice(inserted, inserted + count)) {
            for (const value of valuesOf(item)) parameters[at++] = value
          }
          statement.run(...parameters)
        }
      }
    }
  }
}

function prepareRun(database: DatabaseSync) {
  return (sql: string) => {
    const statement = database.prepare(sql)
    return (...values: SQLInputValue[]) => statement.run(...values)
  }
}
