/**
 * A scan reads records in the order of a list, in steps, and lets other work run between two steps. This file has what
 * the strategies of `scan-strategies.ts` share: the order, the steps, and scans of known positions and of several scans.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { BY_RELEVANCE, type RecordSort } from '@recordhub/protocol'
import type { RawBuilder } from 'kysely'
import { createMatcher } from '../../../domain/record/record-match.ts'
import {
  isDataColumn,
  pathOfColumn,
  type RecordOrder,
} from '../../../domain/record/record-query.ts'
import { isSortedAsNumber, sortKeyAt } from '../../../domain/record/sort-key.ts'
import { createRanking } from '../../../domain/search/search-matches.ts'
import type { SearchTerms } from '../../../domain/search/search-text.ts'
import { createPause } from '../../../lib/concurrency/yield-to-event-loop.ts'
import { compareCodePoints } from '../../../lib/text/code-points.ts'
import { limitWork, type WorkLimit } from '../../../lib/time/work-limit.ts'
import type { Examined, ListScope, Position, RecordQuery } from '../../port/record-list-store.ts'
import {
  type ListedRecord,
  type SelectedRecord,
  selectListed,
  toFilteredRecord,
} from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'
import {
  type FoundRecord,
  type LargeDataReader,
  readLargeData,
  type ScannedRecord,
} from './large-data.ts'

type ScanStep<Found extends FoundRecord = FoundRecord> = {
  records: Found[]
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
const MAX_STEP_SIZE = 1_000_000

/**
 * Reads the steps of a scan up to its end. A step with large records is divided.
 * @param options `maxRecords` returns how many records the caller still needs.
 */
export async function* readSteps(
  reader: LargeDataReader,
  scan: RecordScan,
  options: { after: Position | null; firstStep: number; maxRecords: () => number },
): AsyncGenerator<ScanStep<ScannedRecord>> {
  let { after } = options
  let limit = Math.min(FIRST_STEP, options.firstStep)
  for (;;) {
    const step = await scan.readStep(after, limit)
    let unread = step.examined
    for await (const { records, last } of readLargeData(reader, step.records)) {
      const share = records.length / step.records.length
      const examined = last === null ? unread : Math.round(step.examined * share)
      unread -= examined
      yield { records, examined, next: last ?? step.next }
    }
    if (step.next === null) return
    after = step.next
    limit = Math.min(nextLimit(limit, step), options.maxRecords())
    await yieldToEventLoop()
  }
}

/**
 * Visits the records of a scan until its end, its deadline, or until `visit` returns false.
 * @param limits of the number of records, and of the size of their data in UTF-16 units.
 */
export async function visitRecords(
  reader: LargeDataReader,
  scan: RecordScan,
  time: WorkLimit,
  visit: (row: SelectedRecord) => boolean,
  { records: maxRecords, size: maxSize } = UNLIMITED,
): Promise<Examined> {
  let [examined, size] = [0, 0]
  const end = endOfScan(time)
  const pause = createPause()
  const options = { after: null, firstStep: maxRecords, maxRecords: () => maxRecords - examined }
  for await (const step of readSteps(reader, scan, options)) {
    for (const [index, { row }] of step.records.entries()) {
      const isLast = index === step.records.length - 1 && step.next === null
      size += row.data.length
      const goesOn = visit(row) && size < maxSize && !end.isOver()
      if (!goesOn) return { examined: examined + index + 1, complete: isLast }
      await pause()
    }
    examined += step.examined
    if (step.next === null) break
    if (examined >= maxRecords || time.isOver()) return { examined, complete: false }
  }
  return { examined, complete: true }
}

const UNLIMITED = { records: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY }

/** The first step of a scan is read even after its time, but not for longer than this. */
const MIN_SCAN_MS = 1000

/** When a scan ends within a step, whose records may be as large as a response of a platform. */
export function endOfScan(time: WorkLimit): WorkLimit {
  const first = limitWork(MIN_SCAN_MS)
  return { isOver: () => time.isOver() && first.isOver() }
}

/** Doubles the number of records per step, unless they are so large that a step would need too much memory. */
function nextLimit(limit: number, { records }: ScanStep): number {
  const size = records.reduce((sum, { row }) => sum + (row.data ?? '').length, 0)
  const fitting = size === 0 ? MAX_STEP : Math.floor((MAX_STEP_SIZE / size) * limit)
  return Math.max(1, Math.min(limit * 2, fitting, MAX_STEP))
}

/** Returns a step of records that the database has not filtered. Fewer than `limit` of them end the list. */
export function toStep(records: FoundRecord[], limit: number): ScanStep {
  const last = records.at(-1)
  const next = last && records.length === limit ? last.position : null
  return { records, examined: records.length, next }
}

/** Returns a negative number if the first position comes before the second one. */
type Compare = (one: Position, other: Position) => number
type PositionOf = (row: SelectedRecord) => Position
export type Matches = (row: SelectedRecord) => boolean

/**
 * The order of a list, and the filter of its records. Compares positions in the direction in which a query reads the
 * list.
 */
export function createCompare(
  options: Pick<RecordOrder, 'descending'> & { backwards?: boolean },
): Compare {
  const { descending, backwards = false } = options
  const sign = descending ? -1 : 1
  const compare: Compare = (one, other) => {
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1
    return sign * (compareValues(one.value, other.value) || one.record_id - other.record_id)
  }
  return backwards ? (one, other) => compare(other, one) : compare
}

function compareValues(one: Position['value'], other: Position['value']): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return compareCodePoints(String(one), String(other))
}

/** Returns a function that computes the position of a record from its content. */
export function createPositionOf(
  { sort, search }: Pick<RecordQuery, 'sort' | 'search'>,
  scope: ListScope,
): PositionOf {
  if (isDataColumn(sort)) {
    const isNumeric = isSortedAsNumber(scope.kinds.get(sort))
    const path = pathOfColumn(sort)
    return (row) => ({
      value: sortKeyAt(toFilteredRecord(row).data, path, isNumeric),
      record_id: row.record_id,
    })
  }
  if (sort !== BY_RELEVANCE) return positionBy(sort)
  const rankOf = createRanking(search ?? [])
  return (row) => ({
    value: (rankOf(row) + 1) * RANK_DISTANCE - row.change_seq,
    record_id: row.record_id,
  })
}

/** Returns a function that computes the position of a record in the order of a hub column. */
export function positionBy(sort: RecordSort): (row: ListedRecord) => Position {
  switch (sort) {
    case 'updated_at':
      return ({ change_seq, record_id }) => ({ value: change_seq, record_id })
    case 'created_at':
      return ({ record_id }) => ({ value: record_id, record_id })
    default:
      return (row) => ({ value: row[sort], record_id: row.record_id })
  }
}

/** More than any number of a change. */
const RANK_DISTANCE = 2 ** 50

/** Tests a record against the filter of a query, except for platform and module. */
export function createMatches({ query, scope, reviewedIds }: ResolvedQuery): Matches {
  const matches = createMatcher(query, scope.kinds)
  if (!reviewedIds) return (row) => matches(toFilteredRecord(row))
  const ids = new Set(reviewedIds)
  return (row) => ids.has(row.record_id) && matches(toFilteredRecord(row))
}

/**
 * Reads the records at positions that are already known.
 * @param positions all positions of the scan, in its order.
 */
export function scanPositions(
  deps: ScanDeps,
  positions: Position[],
  { compare, size, allMatch }: { compare: Compare; size: number; allMatch: boolean },
): RecordScan {
  return {
    size,
    allMatch,
    readStep(after, limit) {
      const start = positions.findIndex(
        (position) => after === null || compare(position, after) > 0,
      )
      const step = start < 0 ? [] : positions.slice(start, start + limit)
      return readAtPositions(deps, step, limit)
    },
  }
}

/** Returns a step of records. Records that have been deleted since the positions were read are left out. */
export async function readAtPositions(
  { db, dialect }: ScanDeps,
  positions: Position[],
  limit: number,
): Promise<ScanStep> {
  if (positions.length === 0) return { records: [], examined: 0, next: null }
  const ids = dialect.idList(positions.map(({ record_id }) => record_id))
  const rows = await selectListed(db).where('r.record_id', 'in', ids).execute()
  const rowOf = new Map(rows.map((row) => [row.record_id, row]))
  const records = positions.flatMap((position) => {
    const row = rowOf.get(position.record_id)
    return row ? [{ row, position }] : []
  })
  const next = positions.length < limit ? null : (positions.at(-1) ?? null)
  return { records, examined: positions.length, next }
}

type Source = {
  readStep: RecordScan['readStep']
  /** Records that have been read and not yet returned. */
  buffer: FoundRecord[]
  /** The number of records that the prefilter excluded from the last step, until they are added to `examined`. */
  excluded: number
  /** The position after which the next step begins. */
  next: Position | null
  hasEnded: boolean
  limit: number
}

/**
 * Merges several scans into one. Reads each of them only as far as the merged order requires.
 * @param scans scans that read a whole list: their `size` is null.
 */
export function mergeScans(scans: RecordScan[], compare: Compare): RecordScan {
  const [first] = scans
  if (first && scans.length === 1) return first
  let sources: Source[] | null = null
  return {
    size: null,
    allMatch: false,
    async readStep(after, limit) {
      sources ??= scans.map(({ readStep }) => ({
        readStep,
        buffer: [],
        excluded: 0,
        next: after,
        hasEnded: false,
        limit: Math.ceil(limit / scans.length),
      }))
      for (const source of sources) {
        if (source.buffer.length === 0 && !source.hasEnded) await fillBuffer(source)
      }
      const end = findEnd(sources, compare)
      const records: FoundRecord[] = []
      let excluded = 0
      for (const source of sources) {
        records.push(...takeUpTo(source.buffer, end, compare))
        if (source.buffer.length > 0) continue
        excluded += source.excluded
        source.excluded = 0
      }
      records.sort((one, other) => compare(one.position, other.position))
      return { records, examined: records.length + excluded, next: end }
    },
  }
}

async function fillBuffer(source: Source): Promise<void> {
  const step = await source.readStep(source.next, source.limit)
  source.buffer = step.records
  source.excluded = step.examined - step.records.length
  source.next = step.next
  source.hasEnded = step.next === null
  source.limit = nextLimit(source.limit, step)
}

/** Returns the first of the positions that the sources have reached; null if all sources have ended. */
function findEnd(sources: Source[], compare: Compare): Position | null {
  const ends = sources.flatMap(({ next }) => (next ? [next] : []))
  return ends.reduce<Position | null>(
    (first, end) => (first !== null && compare(first, end) <= 0 ? first : end),
    null,
  )
}

/** Removes the records up to a position from a buffer, and returns them; all records if the position is null. */
function takeUpTo(buffer: FoundRecord[], end: Position | null, compare: Compare): FoundRecord[] {
  const firstBeyond = buffer.findIndex(({ position }) => end !== null && compare(position, end) > 0)
  return buffer.splice(0, firstBeyond < 0 ? buffer.length : firstBeyond)
}
