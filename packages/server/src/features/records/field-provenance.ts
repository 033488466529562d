import type { FieldOrigin } from '@recordhub/protocol'
import { isPastStored, valuePaths } from '../../domain/record/record-history.ts'
import { toStoredRecord } from './list-records.ts'
import { entriesOf, type HistoryDeps, isNewestOf, readExisting } from './read-as-of.ts'

type Origin = Omit<FieldOrigin, 'path' | 'value'>

const UNKNOWN: Origin = { written_at: null, source: null, pull_id: null, request_id: null }

/**
 * Returns the write that set each value of a record. A value without a change in the history is as old as the
 * record. Its origin is unknown if retention or anonymisation has deleted older changes.
 * @throws HubError `not_found`.
 */
export async function readFieldProvenance(
  deps: HistoryDeps,
  recordId: number,
): Promise<FieldOrigin[]> {
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
  const keptSince = open.size > 0 ? await deps.retention.historyCompleteSince() : null
  const isUntouched =
    row.updated_at === row.created_at || (isComplete && isPastStored(keptSince, row.created_at))
  const first: Origin = { ...UNKNOWN, written_at: row.created_at, source: 'creation' }
  const values: unknown[] = [record.full_name, ...Object.values(record.data)]
  return valuePaths(record).map((path, index) => ({
    path,
    value: values[index],
    ...(origins.get(path) ?? (isUntouched ? first : UNKNOWN)),
  }))
}
