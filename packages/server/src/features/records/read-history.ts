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
import { HubError, requireMember } from '../../errors.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import { parseTimestamp, TIMESTAMP_RULE } from '../../lib/time/rfc3339.ts'
import type { HistoryRow, RecordRow, RecordStore } from '../../storage/port/record-store.ts'
import type { RetentionStore } from '../../storage/port/retention-store.ts'
import { toStoredRecord } from './list-records.ts'

export type HistoryDeps = {
  records: Pick<RecordStore, 'readRecord' | 'listHistory'>
  retention: Pick<RetentionStore, 'historyCompleteSince'>
}

/** A record as of an earlier time. `updated_at` is null if its history does not reach back to the last change before it. */
type RecordAsOf = Omit<StoredRecord, 'updated_at'> & { updated_at: string | null }

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
): Promise<{ record: RecordAsOf; as_of: string }> {
  const as_of = requireMember(parseTimestamp(asOf), 'as_of', TIMESTAMP_RULE)
  const row = await readExisting(deps, recordId)
  if (row.created_at > as_of) throw new HubError('not_found', { what: 'record at that time' })
  const present = toStoredRecord(row)
  if (row.updated_at <= as_of) return { record: present, as_of }
  let content: RecordContent = present
  let changedAt: string | null = null
  let isComplete = false
  for await (const entry of entriesOf(deps, row)) {
    isComplete ||= isNewestOf(row, entry)
    if (entry.at <= as_of) {
      changedAt = entry.at
      break
    }
    content = undoChanges(content, entry.changes)
  }
  // Read last, to include deletions during the loop above.
  const storedSince = await deps.retention.historyCompleteSince()
  if (!isPastStored(storedSince, as_of))
    throw new HubError('history_not_stored', { since: storedSince ?? '' })
  if (!isComplete) throw new HubError('history_not_stored', { since: row.updated_at })
  const updated_at =
    changedAt ?? (isPastStored(storedSince, row.created_at) ? row.created_at : null)
  return { record: { ...present, ...content, updated_at }, as_of }
}

/** @throws HubError `not_found`. */
export async function readExisting(deps: HistoryDeps, recordId: number): Promise<RecordRow> {
  const row = await deps.records.readRecord(recordId)
  if (!row) throw new HubError('not_found', { what: 'record' })
  return row
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

const UNKNOWN: Origin = { written_at: null, source: null, pull_id: null, request_id: null }

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
    const { at, source, pull_id, request_id, changes } = entry
    isComplete ||= isNewestOf(row, entry)
    for (const { path } of changes) {
      if (!open.delete(path)) continue
      origins.set(path, { written_at: at, source, pull_id, request_id })
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
