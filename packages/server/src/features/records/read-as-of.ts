import type { StoredRecord } from '@recordhub/protocol'
import {
  isPastStored,
  type ParsedChange,
  parseChanges,
  type RecordContent,
  undoChanges,
} from '../../domain/record/record-history.ts'
import { HubError } from '../../errors.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import { parseTimestamp } from '../../lib/time/rfc3339.ts'
import type { HistoryRow, RecordRow, RecordStore } from '../../storage/port/record-store.ts'
import type { RetentionStore } from '../../storage/port/retention-store.ts'
import { toStoredRecord } from './list-records.ts'

export type HistoryParts = {
  records: Pick<RecordStore, 'readRecord' | 'listHistory'>
  retention: Pick<RetentionStore, 'historyKeptSince'>
}

/** A record of the past. `updated_at` is null where its history does not reach back to that change. */
export type RecordAsOf = Omit<StoredRecord, 'updated_at'> & { updated_at: string | null }

const STEP = 500

/**
 * The record as it was at a moment: as the newest change that is not later left it.
 * @throws HubError `invalid_request` for a moment that is none, `not_found` for a record that was not
 *   there yet, `history_not_kept` where changes since then may have been deleted for their age, or were
 *   because it was anonymised.
 */
export async function readRecordAsOf(
  parts: HistoryParts,
  recordId: number,
  asOf: string,
): Promise<{ record: RecordAsOf; as_of: string }> {
  const as_of = readMoment(asOf)
  const row = await readExisting(parts, recordId)
  if (row.created_at > as_of) throw new HubError('not_found', { what: 'record at that time' })
  const present = toStoredRecord(row)
  if (row.updated_at <= as_of) return { record: present, as_of }
  let content: RecordContent = present
  let left: string | null = null
  let isKept = false
  for await (const entry of entriesOf(parts, row)) {
    isKept ||= isNewestOf(row, entry)
    if (entry.at <= as_of) {
      left = entry.at
      break
    }
    content = undoChanges(content, entry.changes)
  }
  // Asked last: what was deleted while the entries were read is known now.
  const keptSince = await parts.retention.historyKeptSince()
  if (!isPastStored(keptSince, as_of))
    throw new HubError('history_not_kept', { since: keptSince ?? '' })
  if (!isKept) throw new HubError('history_not_kept', { since: row.updated_at })
  const updated_at = left ?? (isPastStored(keptSince, row.created_at) ? row.created_at : null)
  return { record: { ...present, ...content, updated_at }, as_of }
}

/** @throws HubError `not_found`. */
export async function readExisting(parts: HistoryParts, recordId: number): Promise<RecordRow> {
  const row = await parts.records.readRecord(recordId)
  if (!row) throw new HubError('not_found', { what: 'record' })
  return row
}

export type ParsedEntry = Omit<HistoryRow, 'changes'> & { changes: ParsedChange[] }

/** A record's entries up to the state that was read, newest first, read in steps as they are taken. */
export async function* entriesOf(
  { records }: HistoryParts,
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

/**
 * Whether an entry tells of the change that left a record as it is. Where none does, though it has changed,
 * it was anonymised, and its past with it.
 */
export function isNewestOf(row: RecordRow, entry: ParsedEntry): boolean {
  return entry.change_seq === row.change_seq
}

/** In the form of the times that are stored, to the millisecond. */
function readMoment(text: string): string {
  const time = parseTimestamp(text)
  if (time !== null) return time
  const reason = 'as_of must be an RFC 3339 date-time such as 2026-11-21T07:30:00Z'
  throw new HubError('invalid_request', { reason }, { errors: { as_of: [reason.slice(6)] } })
}
