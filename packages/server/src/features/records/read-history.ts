/** Earlier states of a record, and the origin of its values, from its history. */
import type { FieldOrigin, StoredRecord } from '@recordhub/protocol'
import {
  isPastStored,
  type ParsedChange,
  parseChanges,
  type RecordContent,
  undoChanges,
  valuePaths,
} from '../../domain/record/record-history.ts'
import { found, HubError, requireMember } from '../../errors.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/pagination.ts'
import { parseTimestamp, TIMESTAMP_RULE } from '../../lib/time/rfc3339.ts'
import type { HistoryRow, RecordRow } from '../../storage/port/record-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { toStoredRecord } from './list-records.ts'

export type HistoryDeps = Pick<FeatureDeps, 'records' | 'retention'>

/** An earlier version of a record. `updated_at` is null if its history does not reach back to the last change before it. */
type PastRecord = Omit<StoredRecord, 'updated_at'> & { updated_at: string | null }

const STEP = 500

/**
 * Returns a record as of a time, by undoing all later changes.
 * @throws HubError `invalid_request` for an invalid time; `not_found` if the record did not exist yet;
 *   `history_not_stored` if retention may have deleted later changes, or anonymisation has.
 */
export async function readRecordAsOf(
  deps: HistoryDeps,
  recordId: number,
  asOf: string,
): Promise<{ record: PastRecord; as_of: string }> {
  const as_of = requireMember(parseTimestamp(asOf), 'as_of', TIMESTAMP_RULE)
  const row = await readExisting(deps, recordId)
  if (row.created_at > as_of) throw new HubError('not_found', { what: 'record at that time' })
  if (row.updated_at <= as_of) return { record: toStoredRecord(row), as_of }
  const { version, last } = await undoUntil(deps, row, (entry) => entry.at <= as_of)
  const storedSince = await assertStored(deps, row, { version, moment: as_of })
  const updated_at = last?.at ?? (isPastStored(storedSince, row.created_at) ? row.created_at : null)
  return { record: { ...version.record, updated_at }, as_of }
}

/**
 * Returns a record as it was after one of its changes, by undoing all later ones. Changes of one commit have one time, so
 * a time does not identify them.
 * @throws HubError `not_found` if the record has no such change; `history_not_stored` as {@link readRecordAsOf}.
 */
export async function readRecordAfter(
  deps: HistoryDeps,
  recordId: number,
  changeSeq: number,
): Promise<PastRecord> {
  const row = await readExisting(deps, recordId)
  if (row.change_seq === changeSeq) return toStoredRecord(row)
  const isEarlier = ({ change_seq }: ParsedEntry) => change_seq <= changeSeq
  const { version, last } = await undoUntil(deps, row, isEarlier)
  const isFound = last?.change_seq === changeSeq
  await assertStored(deps, row, { version, moment: isFound ? last.at : row.created_at })
  if (!isFound) throw new HubError('not_found', { what: 'change of the record' })
  return { ...version.record, updated_at: last.at }
}

/** `isComplete`: whether the history has the newest change of the record. */
type Version = { record: StoredRecord; isComplete: boolean }

/** Undoes the changes of a record, newest first, until one that the version contains; `last` is that one, if any. */
async function undoUntil(
  deps: HistoryDeps,
  row: RecordRow,
  isContained: (entry: ParsedEntry) => boolean,
): Promise<{ version: Version; last: ParsedEntry | null }> {
  const present = toStoredRecord(row)
  let content: RecordContent = present
  let isComplete = false
  const toVersion = () => {
    const isSame = content.missing_since === present.missing_since
    const missing_reason = isSame ? present.missing_reason : null
    return { record: { ...present, ...content, missing_reason }, isComplete }
  }
  for await (const entry of entriesOf(deps, row)) {
    isComplete ||= isNewestOf(row, entry)
    if (isContained(entry)) return { version: toVersion(), last: entry }
    content = undoChanges(content, entry.changes)
  }
  return { version: toVersion(), last: null }
}

/**
 * Call it after the history was read, to include deletions meanwhile.
 * @returns the time since which the history is complete; null if none was ever deleted.
 * @throws HubError `history_not_stored`.
 */
async function assertStored(
  deps: HistoryDeps,
  row: RecordRow,
  { version, moment }: { version: Version; moment: string },
): Promise<string | null> {
  const storedSince = await deps.retention.historyCompleteSince()
  if (!isPastStored(storedSince, moment))
    throw new HubError('history_not_stored', { since: storedSince ?? '' })
  if (!version.isComplete) throw new HubError('history_not_stored', { since: row.updated_at })
  return storedSince
}

/** @throws HubError `not_found`. */
export async function readExisting(deps: HistoryDeps, recordId: number): Promise<RecordRow> {
  return found('record', await deps.records.readRecord(recordId))
}

type ParsedEntry = Omit<HistoryRow, 'changes'> & { changes: ParsedChange[] }

/** Reads the history of a record on demand, newest first, without changes after the given row was read. */
async function* entriesOf(
  { records }: HistoryDeps,
  { record_id, change_seq }: RecordRow,
): AsyncGenerator<ParsedEntry> {
  let before = change_seq + 1
  for (;;) {
    const step = { record_id, limit: STEP, maxBytes: MAX_PAGE_BYTES, before }
    const { entries, has_more } = await records.listHistory(step)
    for (const row of entries) yield { ...row, changes: parseChanges(row.changes) }
    const last = entries.at(-1)
    if (!last || !has_more) return
    before = last.change_seq
  }
}

/** Whether an entry is the latest change of a record. A changed record without such an entry was anonymised. */
function isNewestOf(row: RecordRow, entry: ParsedEntry): boolean {
  return entry.change_seq === row.change_seq
}

type Origin = Omit<FieldOrigin, 'path' | 'value'>

const UNKNOWN: Origin = {
  written_at: null,
  source: null,
  pull_id: null,
  request_id: null,
  revert_id: null,
}

/**
 * Returns a record with the write that set each of its values, both as of the change `change_seq`, even if the record
 * changes during the read. A value without a change in the history is as old as the record. Its origin is unknown if
 * retention or anonymisation has deleted older changes.
 * @throws HubError `not_found`.
 */
export async function readFieldProvenance(
  deps: HistoryDeps,
  recordId: number,
): Promise<{ change_seq: number; record: StoredRecord; fields: FieldOrigin[] }> {
  const row = await readExisting(deps, recordId)
  const record = toStoredRecord(row)
  const origins = new Map<string, Origin>()
  const open = new Set(valuePaths(record))
  let isComplete = false
  for await (const entry of entriesOf(deps, row)) {
    const { at, source, pull_id, request_id, revert_id, changes } = entry
    isComplete ||= isNewestOf(row, entry)
    for (const { path } of changes) {
      if (!open.delete(path)) continue
      origins.set(path, { written_at: at, source, pull_id, request_id, revert_id })
    }
    if (open.size === 0) break
  }
  const storedSince = open.size > 0 ? await deps.retention.historyCompleteSince() : null
  const isUntouched =
    row.updated_at === row.created_at || (isComplete && isPastStored(storedSince, row.created_at))
  const first: Origin = { ...UNKNOWN, written_at: row.created_at, source: 'creation' }
  const values: unknown[] = [record.full_name, ...Object.values(record.data)]
  const fields = valuePaths(record).map((path, index) => ({
    path,
    value: values[index],
    ...(origins.get(path) ?? (isUntouched ? first : UNKNOWN)),
  }))
  return { change_seq: row.change_seq, record, fields }
}
