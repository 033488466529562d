/**
 * Lists of records. What to read is found in one of three ways: among few candidates that an index knows;
 * by going through the list in the order of an index; or, where the order has none, by going through all
 * records and keeping the first ones. Whatever the way, the filter is applied to each record by the same
 * code on every engine.
 */
import type { RecordSort } from '@recordhub/protocol'
import { createMatcher } from '../../../domain/record/record-match.ts'
import { type DataColumn, isDataColumn, isFiltered } from '../../../domain/record/record-query.ts'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { Position, RecordListStore, RecordQuery } from '../../port/record-list-store.ts'
import { findModuleScope, type ModuleRef, type ModuleScope } from '../records/module-scope.ts'
import { findChangedFrom } from '../records/record-changes.ts'
import { countRecords } from '../records/record-counts.ts'
import { selectRecords, toFilteredRecord } from '../records/record-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { mergeSteps } from './k-way-merge.ts'
import {
  type CandidateParts,
  findCandidates,
  readCandidates,
  readReviewedIds,
} from './record-candidates.ts'
import { findIndexedField, readPositions } from './record-index.ts'
import { type Compare, comparePositions, createPositionOf } from './record-order.ts'
import { type Outcome, toRecordPage } from './record-page.ts'
import { selectPage, selectStep } from './record-pages.ts'
import { type Holds, prefilterOf } from './record-prefilter.ts'
import {
  type Found,
  type Matches,
  type ReadStep,
  type Step,
  toStep,
  type Walk,
  walk,
} from './record-scan.ts'

/** Candidates whose data is looked at before others have a turn. */
const PARSED_AT_ONCE = 200

export type ListParts = CandidateParts & {
  holds: Holds
  /** How much of a name the engine's index takes, in characters; null for all of it. */
  nameIndexLength: number | null
}

type Listing = {
  db: Executor
  parts: ListParts
  query: RecordQuery
  places: ModuleScope
  /** Null where nothing is asked but the platform and the module. */
  matches: Matches | null
  /** In the direction in which the list is read. */
  compare: Compare
  positionOf: (row: Found['row']) => Position
  /** Records whose last change came before do not match. */
  least_change_seq: number
  until: number
  /** The records of the review that the query names; null where it names none. */
  reviewed: number[] | null
}

export function createRecordLists(
  { reader: db }: Pick<Databases, 'reader'>,
  parts: ListParts,
): RecordListStore {
  return {
    countRecords: (query) => countRecords(db, query),

    async listRecords(query) {
      const until = performance.now() + query.scan_ms
      const places = await findModuleScope(db, query)
      const least_change_seq = await findChangedFrom(db, query.changed_since)
      const reviewed =
        query.missing_review === null ? null : await readReviewedIds(db, query.missing_review)
      const inOrder = comparePositions(query)
      const outcome = await find({
        db,
        parts,
        query,
        places,
        until,
        reviewed,
        matches: createMatches(query, places, reviewed),
        compare: query.backwards ? (one, other) => inOrder(other, one) : inOrder,
        positionOf: createPositionOf(query.sort, places.isNumeric),
        least_change_seq,
      })
      if (!outcome) return { outcome: 'too_slow' }
      const toCount = { isFiltered: isFiltered(query), countAll: () => countRecords(db, query) }
      return toRecordPage(query, outcome, toCount)
    },
  }
}

/** Whether a page is a look at one index, and no more. */
export function isQuick(query: RecordQuery): boolean {
  const { platform, record_type, sort } = query
  if (isFiltered(query) || isDataColumn(sort)) return false
  const isEverywhere = platform === null && record_type === null
  return isEverywhere ? isIndexedEverywhere(sort) : platform !== null && record_type !== null
}

/** Ids and changes have an index over all records; all else has one a module. */
function isIndexedEverywhere(sort: RecordSort): boolean {
  return sort !== 'reference_number' && sort !== 'full_name'
}

function createMatches(
  query: RecordQuery,
  { isNumeric }: ModuleScope,
  reviewed: number[] | null,
): Matches | null {
  if (!isFiltered(query)) return null
  const matches = createMatcher(query, isNumeric)
  if (!reviewed) return (row) => matches(toFilteredRecord(row))
  const ids = new Set(reviewed)
  return (row) => ids.has(row.record_id) && matches(toFilteredRecord(row))
}

async function find(listing: Listing): Promise<Outcome | null> {
  const { db, query, places, matches } = listing
  if (!places.all && places.places.length === 0) {
    return { found: [], examined: 0, matched: 0, stopped_at: null, among: 0, isExact: true }
  }
  const { sort } = query
  const candidates = matches ? await findCandidates(db, listing.parts, listing) : null
  if (candidates) return findAmong(listing, candidates)
  return isDataColumn(sort) ? findByField(listing, sort) : findByHubColumn(listing, sort)
}

/** Few records: brought into order, then looked at until the page is full. */
async function findAmong(listing: Listing, ids: number[]): Promise<Outcome> {
  const { db, parts, query, reviewed, compare, positionOf } = listing
  const positions: Position[] = []
  const size = isDataColumn(query.sort) ? PARSED_AT_ONCE : ids.length
  for (let at = 0; at < ids.length; at += size) {
    const rows = await readCandidates(db, parts, ids.slice(at, at + size), listing)
    positions.push(...rows.map(positionOf))
    await yieldToEventLoop()
  }
  positions.sort(compare)
  const { after } = query
  const first = after === null ? 0 : positions.findIndex((one) => compare(one, after) > 0)
  const rest = first < 0 ? [] : positions.slice(first)
  const walked = await walkAlong(listing, rest)
  // All records of a review match where nothing else is asked for.
  const isExact = ids === reviewed && !isFiltered({ ...query, missing_review: null })
  const matched = isExact ? positions.length : walked.matched
  return { ...walked, matched, among: positions.length, isExact }
}

/** The records at positions, however long it takes. */
function walkAlong(listing: Listing, positions: Position[]): Promise<Walk> {
  let given = 0
  const readStep: ReadStep = async (_, limit) => {
    const step = positions.slice(given, given + limit)
    given += limit
    return readAt(listing, step, limit)
  }
  return walk(readStep, { ...walkOf(listing), until: Number.POSITIVE_INFINITY })
}

async function findByHubColumn(
  listing: Listing,
  sort: Exclude<RecordQuery['sort'], DataColumn>,
): Promise<Outcome> {
  const { db, parts, query, least_change_seq, places, positionOf } = listing
  const falling = query.descending !== query.backwards
  const { nameIndexLength } = parts
  const prefilter = prefilterOf(query, places, parts.holds)
  const toFound = (row: Found['row']) => ({ row, position: positionOf(row) })
  const readIn = (place: ModuleRef | null): ReadStep => {
    const order = { sort, falling, place, least_change_seq, nameIndexLength }
    return async (after, limit) => {
      const page = { ...order, after, limit }
      if (!prefilter) return toStep((await selectPage(db, page)).map(toFound), limit)
      const { rows, end } = await selectStep(db, page, prefilter)
      return { records: rows.map(toFound), examined: limit, next: end }
    }
  }
  const lists = places.all && isIndexedEverywhere(sort) ? [null] : places.places
  const readStep = mergeSteps(lists.map(readIn), listing.compare)
  const walked = await walk(readStep, walkOf(listing))
  return { ...walked, among: null, isExact: false }
}

async function findByField(listing: Listing, sort: DataColumn): Promise<Outcome | null> {
  const { db, query, places } = listing
  const field = await findIndexedField(db, places, sort)
  if (!field) return keepFirst(listing)
  const { backwards } = query
  const falling = query.descending !== backwards
  const readStep: ReadStep = async (after, limit) => {
    const order = { falling, backwards, after, limit }
    return readAt(listing, await readPositions(db, field, order), limit)
  }
  return { ...(await walk(readStep, walkOf(listing))), among: null, isExact: false }
}

/** Goes through all records and keeps the first ones of an order that no index has. */
async function keepFirst(listing: Listing): Promise<Outcome | null> {
  const { query, matches, compare, positionOf } = listing
  // More than a page holds: some may be gone before they are read.
  const limit = 2 * query.limit + 1
  const { after } = query
  let kept: Position[] = []
  let matched = 0
  const prune = () => {
    kept = kept.sort(compare).slice(0, limit)
  }
  const keep: Matches = (row) => {
    if (matches && !matches(row)) return false
    matched += 1
    const position = positionOf(row)
    if (after !== null && compare(position, after) <= 0) return false
    kept.push(position)
    if (kept.length > 4 * limit) prune()
    return false
  }
  const all = { ...listing, matches: keep, query: { ...query, after: null, limit: Infinity } }
  const { stopped_at } = await findByHubColumn(
    { ...all, positionOf: ({ record_id }) => ({ value: record_id, record_id }) },
    'record_id',
  )
  if (stopped_at !== null) return null
  prune()
  const { found } = await walkAlong({ ...listing, matches: null }, kept)
  return { found, examined: matched, matched, stopped_at: null, among: matched, isExact: true }
}

/** One more than a page holds, so that it is known whether there are more. */
function walkOf({ query, matches, until }: Listing) {
  return { after: query.after, limit: query.limit + 1, matches, until }
}

/** The records at positions, but for those that are not there any more. */
async function readAt({ db, parts }: Listing, positions: Position[], limit: number): Promise<Step> {
  if (positions.length === 0) return { records: [], examined: 0, next: null }
  const ids = parts.idList(positions.map((position) => position.record_id))
  const rows = await selectRecords(db).where('r.record_id', 'in', ids).execute()
  const rowOf = new Map(rows.map((row) => [row.record_id, row]))
  const records = positions.flatMap((position) => {
    const row = rowOf.get(position.record_id)
    return row ? [{ row, position }] : []
  })
  const next = positions.length < limit ? null : (positions.at(-1) ?? null)
  return { records, examined: positions.length, next }
}
