/**
 * The request log. A push must cost nearly nothing more, so one statement inserts many requests, and no index is
 * updated: reads go through the log in steps of `STEP` rows.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import { type LoggedRequest, sizeOf } from '../../../domain/activity/request-log.ts'
import type { HashReference } from '../../../domain/record/erasure.ts'
import type { RequestFilter, RequestStore, StoredRequest } from '../../port/activity-store.ts'
import { namesErasedRecord } from '../deletion/record-mentions.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { findRow, listRows, readIdRange } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'

/** `platform_id` of a request without a valid key. */
const NO_PLATFORM = 0
/** Rows that a step reads: a few milliseconds, for which pushes wait on SQLite. */
const STEP = 10_000
/** Rows that a save deletes at most, twice as many as it inserts. */
const DELETION_STEP = 500
/** Requests wait for a few seconds before they are saved; much longer only while the database is unavailable. */
const RECENT_MS = 3_600_000

/** The columns of a new request. Those that are true are integers, the others texts. */
export const REQUEST_COLUMNS = {
  ...{ logged_request_id: true, at: false, platform_id: true, status: true, record_type: false },
  ...{ reference_number: false, outcome: false, record_id: true, request_id: false },
  ...{ key_hint: false, address: false, line: false, end_bytes: true },
}
/** The values of `REQUEST_COLUMNS`. */
export type RequestRow = (string | number | null)[]
/** Inserts many requests with few statements. */
export type InsertRequests = (db: Executor, rows: readonly RequestRow[]) => Promise<void>

export function createRequestStore(
  { reader, withoutFsync, acquireLock, clock }: Databases,
  {
    hashReference,
    insertRequests,
  }: { hashReference: HashReference; insertRequests: InsertRequests },
): RequestStore {
  return {
    saveRequests: (requests, maxBytes) =>
      withoutFsync(async (db) => {
        await acquireLock(db, 'request log')
        const log = (await readLog(db)) ?? { last_id: 0, end_bytes: 0 }
        const since = new Date(clock.now().getTime() - RECENT_MS).toISOString()
        const stored = await withoutErased(db, requests, { hashReference, since })
        let { last_id, end_bytes } = log
        const rows = stored.map((request) => {
          last_id += 1
          end_bytes += sizeOf(request)
          return toRow(request, last_id, end_bytes)
        })
        await insertRequests(db, rows)
        const details = stored.flatMap(({ details }, index) =>
          details
            ? {
                ...details,
                headers: JSON.stringify(details.headers),
                logged_request_id: log.last_id + index + 1,
              }
            : [],
        )
        if (details.length > 0) await db.insertInto('request_details').values(details).execute()
        await db
          .insertInto('request_log')
          .values({ log_id: 1, last_id, end_bytes })
          .onConflict((conflict) => conflict.column('log_id').doUpdateSet({ last_id, end_bytes }))
          .execute()
        await deleteOldest(db, end_bytes - maxBytes)
      }),

    async scanRequests({ order, start, limit, ...filter }) {
      const range = await readRange(reader, order, start)
      if (!range) return { requests: [], next: null }
      const rows = await applyFilter(selectRequests(reader), filter)
        .where('r.logged_request_id', '>=', range.first)
        .where('r.logged_request_id', '<=', range.last)
        .orderBy('r.logged_request_id', order === 'newest' ? 'desc' : 'asc')
        .limit(limit)
        .execute()
      const last = rows.at(-1)
      const next = rows.length === limit && last ? last.id : range.next
      return { requests: rows.map(toStored), next }
    },

    async countRequests({ start, ...filter }) {
      const range = await readRange(reader, 'newest', start)
      if (!range) return { counts: {}, next: null }
      const rows = await applyFilter(selectRequests(reader), filter)
        .clearSelect()
        .select((eb) => [
          sql<number>`r.status / 100`.as('digit'),
          eb.fn.countAll<number>().as('count'),
        ])
        .where('r.logged_request_id', '>=', range.first)
        .where('r.logged_request_id', '<=', range.last)
        .groupBy('digit')
        .execute()
      const counts = Object.fromEntries(rows.map(({ digit, count }) => [digit, Number(count)]))
      return { counts, next: range.next }
    },

    readNewestPosition: async () => (await readLog(reader))?.last_id ?? 0,

    async readRequest(id) {
      const row = await selectRequests(reader)
        .where('r.logged_request_id', '=', id)
        .executeTakeFirst()
      if (!row) return null
      const match = { logged_request_id: id }
      const columns = ['headers', 'body', 'response'] as const
      const details = await findRow(reader, 'request_details', match, columns)
      return {
        ...toStored(row),
        details: details ? { ...details, headers: JSON.parse(details.headers) } : null,
      }
    },
  }
}

const readLog = (db: Executor) =>
  db.selectFrom('request_log').select(['last_id', 'end_bytes']).executeTakeFirst()

/** Deletes requests with their details. */
export async function deleteRequests(db: Executor, ids: number[]): Promise<void> {
  await db.deleteFrom('request_details').where('logged_request_id', 'in', ids).execute()
  await db.deleteFrom('requests').where('logged_request_id', 'in', ids).execute()
}

/** What is only shown, in the order of the column `line`. */
type Line = [
  method: string,
  path: string,
  latency_us: number,
  size: number | null,
  key_hint: string | null,
  address: string,
  body_kept: boolean,
  skipped: number,
]

function toRow(request: LoggedRequest, id: number, end_bytes: number): RequestRow {
  const { at, platform_id, method, path, status, latency_us, size, record_type } = request
  const { reference_number, outcome, record_id, request_id, key_hint, address, details } = request
  const body_kept = details !== null && details.body !== null
  const { skipped } = request
  const line: Line = [method, path, latency_us, size, key_hint, address, body_kept, skipped]
  const ofUnknown = platform_id === null ? [key_hint, address] : [null, null]
  return [
    ...[id, at, platform_id ?? NO_PLATFORM, status, record_type, reference_number, outcome],
    ...[record_id, request_id, ...ofUnknown, JSON.stringify(line), end_bytes],
  ]
}

/** Leaves out requests of removed platforms, and what names erased records. */
async function withoutErased(
  db: Executor,
  requests: LoggedRequest[],
  { hashReference, since }: { hashReference: HashReference; since: string },
): Promise<LoggedRequest[]> {
  const ids = [...new Set(requests.flatMap(({ platform_id }) => platform_id ?? []))]
  const platforms =
    ids.length === 0
      ? []
      : await db
          .selectFrom('platforms as p')
          .select(['p.platform_id', FIRST_NAME.as('first_name')])
          .where('p.platform_id', 'in', ids)
          .where('p.removed_at', 'is', null)
          .execute()
  const firstNames = new Map(platforms.map((row) => [row.platform_id, row.first_name]))
  const match = { at: sql`>= ${since}` }
  const recent = await listRows(db, 'tombstones', match, ['record_id', 'platform_name'])
  const recentlyErased = new Set<number | null>(recent.map(({ record_id }) => record_id))
  const ofRecent = new Set(recent.map(({ platform_name }) => platform_name))
  const stored: LoggedRequest[] = []
  for (const request of requests) {
    const { platform_id, record_type, reference_number, details, status } = request
    if (platform_id === null) {
      stored.push(request)
      continue
    }
    const first_name = firstNames.get(platform_id)
    if (first_name === undefined || recentlyErased.has(request.record_id)) continue
    // A push was accepted before its record was erased, but its body may name another record.
    const isChecked = status >= 400 || (details !== null && ofRecent.has(first_name))
    if (!isChecked) {
      stored.push(request)
      continue
    }
    const body = details?.body ?? (reference_number && JSON.stringify({ reference_number }))
    const push = { platform_id, record_type, body: body ?? '' }
    const isErased =
      push.body !== '' && (await namesErasedRecord(db, push, { first_name, hashReference }))
    stored.push(isErased ? { ...request, reference_number: null, details: null } : request)
  }
  return stored
}

/** Deletes the oldest requests up to the position in bytes. */
async function deleteOldest(db: Executor, upTo: number): Promise<void> {
  const oldest = await db
    .selectFrom('requests')
    .select(['logged_request_id', 'end_bytes'])
    .orderBy('logged_request_id')
    .limit(1)
    .executeTakeFirst()
  if (!oldest || oldest.end_bytes > upTo) return
  const rows = await db
    .selectFrom('requests')
    .select(['logged_request_id', 'end_bytes'])
    .orderBy('logged_request_id')
    .limit(DELETION_STEP)
    .execute()
  const last = rows.findLast(({ end_bytes }) => end_bytes <= upTo)?.logged_request_id
  if (last === undefined) return
  await db.deleteFrom('request_details').where('logged_request_id', '<=', last).execute()
  await db.deleteFrom('requests').where('logged_request_id', '<=', last).execute()
}

/** The ids of the next step, and where the one after it continues; null at the end of the log. */
async function readRange(
  db: Executor,
  order: 'newest' | 'oldest',
  start: number | null,
): Promise<{ first: number; last: number; next: number | null } | null> {
  const { first: lowest, last: highest } = await readIdRange(db, 'requests', 'logged_request_id')
  if (lowest === null || highest === null) return null
  if (order === 'newest') {
    const last = Math.min(highest, start === null ? highest : start - 1)
    const first = Math.max(lowest, last - STEP + 1)
    return last < lowest ? null : { first, last, next: first > lowest ? first : null }
  }
  const first = Math.max(lowest, start === null ? lowest : start + 1)
  const last = Math.min(highest, first + STEP - 1)
  return first > highest ? null : { first, last, next: last < highest ? last : null }
}

function selectRequests(db: Executor) {
  return db
    .selectFrom('requests as r')
    .leftJoin('platforms as p', (join) =>
      join.onRef('p.platform_id', '=', 'r.platform_id').on('p.removed_at', 'is', null),
    )
    .where((eb) =>
      eb.or([eb('r.platform_id', '=', NO_PLATFORM), eb('p.platform_id', 'is not', null)]),
    )
    .select([
      'r.logged_request_id as id',
      'r.at',
      'p.platform_name',
      'r.status',
      'r.record_type',
      'r.reference_number',
      'r.outcome',
      'r.record_id',
      'r.request_id',
      'r.line',
    ])
}

type Joined = Tables & { r: Tables['requests']; p: Tables['platforms'] }

function applyFilter<Selected>(
  select: SelectQueryBuilder<Joined, 'r' | 'p', Selected>,
  { source, record_type, status, request_id, since, until }: RequestFilter,
): SelectQueryBuilder<Joined, 'r' | 'p', Selected> {
  let filtered = select
  if (source !== null) {
    const { platform_id, key_hints, addresses } = source
    filtered = filtered.where((eb) =>
      eb.or([
        eb('r.platform_id', '=', platform_id),
        eb.and([
          eb('r.platform_id', '=', NO_PLATFORM),
          // An empty list would be invalid SQL.
          eb.or([
            ...(key_hints.length > 0 ? [eb('r.key_hint', 'in', key_hints)] : []),
            ...(addresses.length > 0 ? [eb('r.address', 'in', addresses)] : []),
          ]),
        ]),
      ]),
    )
  }
  if (record_type !== null) filtered = filtered.where('r.record_type', '=', record_type)
  if (status !== null) {
    filtered = filtered.where('r.status', '>=', status.min).where('r.status', '<=', status.max)
  }
  if (request_id !== null) filtered = filtered.where('r.request_id', '=', request_id)
  if (since !== null) filtered = filtered.where('r.at', '>=', since)
  if (until !== null) filtered = filtered.where('r.at', '<=', until)
  return filtered
}

type ShownColumns = 'id' | 'at' | 'platform_name' | 'status' | 'record_type' | 'reference_number'
type Row = Pick<StoredRequest, ShownColumns | 'outcome' | 'record_id' | 'request_id'>

function toStored({ line, ...row }: Row & { line: string }): StoredRequest {
  const shown: Line = JSON.parse(line)
  const [method, path, latency_us, size, key_hint, address, body_kept, skipped] = shown
  return { ...row, method, path, latency_us, size, key_hint, address, body_kept, skipped }
}
