import type { FieldOrigin } from '@recordhub/protocol'
import { isPastStored, valuePaths } from '../../domain/record/record-history.ts'
import { toStoredRecord } from './list-records.ts'
import { entriesOf, type HistoryParts, isNewestOf, readExisting } from './read-as-of.ts'

type Origin = Omit<FieldOrigin, 'path' | 'value'>

const UNKNOWN: Origin = { written_at: null, source: null, pull_id: null, request_id: null }

/**
 * Which write gave each value of a record what it is now. One that no kept change tells of is as old as
 * the record, or, where older changes were deleted for their age or with what they told, of an unknown origin.
 * @throws HubError `not_found`.
 */
export async function readFieldProvenance(
  parts: HistoryParts,
  recordId: number,
): Promise<FieldOrigin[]> {
  const row = await readExisting(parts, recordId)
  const record = toStoredRecord(row)
  const origins = new Map<string, Origin>()
  const open = new Set(valuePaths(record))
  let isKept = false
  for await (const entry of entriesOf(parts, row)) {
    const { at, source, pull_id, request_id, changes } = entry
    isKept ||= isNewestOf(row, entry)
    for (const { path } of changes) {
      if (!open.delete(path)) continue
      origins.set(path, { written_at: at, source, pull_id, request_id })
    }
    if (open.size === 0) break
  }
  const keptSince = open.size > 0 ? await parts.retention.historyKeptSince() : null
  const isUntouched =
    row.updated_at === row.created_at || (isKept && isPastStored(keptSince, row.created_at))
  const first: Origin = { ...UNKNOWN, written_at: row.created_at, source: 'creation' }
  const values: unknown[] = [record.full_name, ...Object.values(record.data)]
  return valuePaths(record).map((path, index) => ({
    path,
    value: values[index],
    ...(origins.get(path) ?? (isUntouched ? first : UNKNOWN)),
  }))
}
