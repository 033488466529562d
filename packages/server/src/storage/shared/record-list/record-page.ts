/** Pagination: collects the records of a page from a scan, and counts or estimates all matches. */
import { createPause } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { WorkLimit } from '../../../lib/time/work-limit.ts'
import type { Position, RecordPage, RecordQuery } from '../../port/record-list-store.ts'
import { toRecordRow } from '../records/record-rows.ts'
import type { LargeDataReader, ScannedRecord } from './large-data.ts'
import { endOfScan, type Matches, type RecordScan, readSteps } from './record-scan.ts'

/** Maximum size of the data on a page, in UTF-16 units. The record that reaches it ends the page. */
const MAX_PAGE_SIZE = 8_000_000

type Filter = {
  /** Null if every record matches. */
  matches: Matches | null
  /** The first step is read even after it, as {@link endOfScan} allows. */
  time: WorkLimit
}

type Collected = {
  /** In the order of the scan. */
  records: ScannedRecord[]
  /** Whether another record matches after these. */
  isFull: boolean
  examined: number
  /** The position that the scan had reached at the end of its time, otherwise null. */
  stopped_at: Position | null
}

/** @param countAll counts the records of the platform and module. */
export async function readRecordPage(
  reader: LargeDataReader,
  scan: RecordScan,
  query: RecordQuery,
  { countAll, ...filter }: Filter & { countAll: () => Promise<number> },
): Promise<RecordPage> {
  const collected = await collectRecords(reader, scan, query, filter)
  const { isFull, stopped_at } = collected
  const records = query.backwards ? collected.records.toReversed() : collected.records
  const has_more = isFull || stopped_at !== null
  const isWholeList = query.after === null && !has_more
  return {
    outcome: 'listed',
    records: records.map(({ row }) => toRecordRow(row)),
    first: records[0]?.position ?? null,
    last: records.at(-1)?.position ?? null,
    has_more,
    stopped_at,
    ...(isWholeList
      ? { estimated_total: records.length, is_estimate: false }
      : await countMatches(collected, scan, {
          isFiltered: filter.matches !== null,
          countAll,
        })),
  }
}

export async function collectRecords(
  reader: LargeDataReader,
  scan: RecordScan,
  { after, limit }: Pick<RecordQuery, 'after' | 'limit'>,
  { matches: filter, time }: Filter,
): Promise<Collected> {
  const matches = scan.allMatch ? null : filter
  /** One record more than the page contains shows that the list has more. */
  const needed = limit + 1
  const records: ScannedRecord[] = []
  let size = 0
  let examined = 0
  /** The position of the last record that was tested. */
  let last: Position | null = null
  const end = endOfScan(time)
  const pause = createPause()
  const steps = readSteps(reader, scan, {
    after,
    firstStep: matches ? 4 * needed : needed,
    maxRecords: () => (matches ? Number.POSITIVE_INFINITY : needed - records.length),
  })
  for await (const step of steps) {
    for (const [index, record] of step.records.entries()) {
      if (matches) {
        if (last !== null && end.isOver()) {
          return { records, isFull: false, examined: examined + index, stopped_at: last }
        }
        await pause()
        last = record.position
        if (!matches(record.row)) continue
      }
      if (records.length === limit || size >= MAX_PAGE_SIZE) {
        const share = (index + 1) / step.records.length
        examined += Math.max(1, Math.round(step.examined * share))
        return { records, isFull: true, examined, stopped_at: null }
      }
      records.push(record)
      size += record.row.data.length
    }
    examined += step.examined
    if (step.next !== null && scan.size === null && time.isOver()) {
      return { records, isFull: false, examined, stopped_at: step.next }
    }
  }
  return { records, isFull: false, examined, stopped_at: null }
}

/** Estimates the number of matches by the share of matches among the examined records. */
async function countMatches(
  { records, isFull, examined }: Collected,
  { size, allMatch }: RecordScan,
  { isFiltered, countAll }: { isFiltered: boolean; countAll: () => Promise<number> },
): Promise<Pick<RecordPage, 'estimated_total' | 'is_estimate'>> {
  const all = size ?? (await countAll())
  if (allMatch || !isFiltered) return { estimated_total: all, is_estimate: false }
  const matched = records.length + (isFull ? 1 : 0)
  const share = examined === 0 ? 0 : matched / examined
  return { estimated_total: Math.max(Math.round(all * share), matched), is_estimate: true }
}
