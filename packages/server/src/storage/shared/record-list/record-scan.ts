/**
 * A scan reads records in the order of a list, in steps, and lets other work run between two steps. Each strategy
 * of `scan-strategies.ts` has a file that opens a scan.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import type { SearchTerms } from '../../../domain/search/search-text.ts'
import type { ListScope, Position, RecordQuery } from '../../port/record-list-store.ts'
import type { SelectedRecord } from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'

export type ScannedRecord = { row: SelectedRecord; position: Position }

export type ScanStep = {
  records: ScannedRecord[]
  /** The number of records that the database has read for the step, including those that its prefilter excluded. */
  examined: number
  /** The position after which the next step begins; null at the end of the list. */
  next: Position | null
}

export interface RecordScan {
  /**
   * Reads a step that begins after a position; null for the start of the list. The following step begins after `next` of
   * this one. The caller chooses the size of each step, because it depends on the records that the page still needs.
   */
  readStep(after: Position | null, limit: number): Promise<ScanStep>
  /**
   * The number of records of a scan that reads a small set which includes every match, and ends between two steps only
   * at the end of the set. Null if the scan reads the whole list, within the time limit of the query.
   */
  size: number | null
  /** Whether every record of the scan matches, so that the page does not filter them. */
  allMatch: boolean
}

/** The functions of record lists that differ between engines. */
export type RecordListDialect = {
  /** Returns a subquery of these ids. Its text does not depend on their number. */
  idList: (ids: number[]) => RawBuilder<number>
  /**
   * Returns the ids of records that may contain the terms, at most `limit`. Every indexed record that contains
   * the terms is among them. Returns null if the index cannot be used for the terms.
   */
  findByText: (terms: SearchTerms, limit: number) => Promise<number[] | null>
  /** Tests whether a column contains a text, case-sensitively. */
  contains: (column: RawBuilder<unknown>, text: string) => RawBuilder<boolean>
  /** The number of characters of `full_name` in the engine's index; null for all of them. */
  nameIndexLength: number | null
}

export type ScanDeps = { db: Executor; dialect: RecordListDialect }

/** A query, with its names and times looked up in the database. */
export type ResolvedQuery = {
  query: RecordQuery
  scope: ListScope
  /** Records with a smaller `change_seq` do not match. */
  minChangeSeq: number
  /** The records of the missing review in the query; null without one. */
  reviewedIds: number[] | null
}

const FIRST_STEP = 64
const MAX_STEP = 2000
/** Target size of the data that one step reads, in UTF-16 units. */
const MAX_STEP_SIZE = 4_000_000

/**
 * Reads the steps of a scan up to its end.
 * @param options `maxRecords` returns how many records the caller still needs.
 */
export async function* readSteps(
  scan: RecordScan,
  options: { after: Position | null; firstStep: number; maxRecords: () => number },
): AsyncGenerator<ScanStep> {
  let { after } = options
  let limit = Math.min(FIRST_STEP, options.firstStep)
  for (;;) {
    const step = await scan.readStep(after, limit)
    yield step
    if (step.next === null) return
    after = step.next
    limit = Math.min(nextLimit(limit, step), options.maxRecords())
    await yieldToEventLoop()
  }
}

/** The first step of a scan is read even after its deadline, but not for longer than this. */
const MIN_SCAN_MS = 1000

/** The time at which a scan ends within a step, whose records may be as large as a response of a platform. */
export function endOfScan(deadline: number): number {
  return Math.max(deadline, performance.now() + MIN_SCAN_MS)
}

/** Doubles the number of records per step, unless they are so large that a step would need too much memory. */
export function nextLimit(limit: number, { records }: ScanStep): number {
  const size = records.reduce((sum, { row }) => sum + row.data.length, 0)
  const fitting = size === 0 ? MAX_STEP : Math.floor((MAX_STEP_SIZE / size) * limit)
  return Math.max(1, Math.min(limit * 2, fitting, MAX_STEP))
}

/** Returns a step of records that the database has not filtered. Fewer than `limit` of them end the list. */
export function toStep(records: ScannedRecord[], limit: number): ScanStep {
  const last = records.at(-1)
  const next = last && records.length === limit ? last.position : null
  return { records, examined: records.length, next }
}
