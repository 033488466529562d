/**
 * The request log. It must add little to the cost of a push, so many requests are saved as one row. Reads decode `STEP`
 * requests at a time.
 */
import { sql } from 'kysely'
import {
  decodeRequest,
  type EncodedRequest,
  encodeRequest,
  type LoggedRequest,
  platformOf,
  sizeOf,
} from '../../../domain/activity/request-log.ts'
import type { HashReference } from '../../../domain/record/erasure.ts'
import type { RequestFilter, RequestStore, StoredRequest } from '../../port/activity-store.ts'
import { namesErasedRecord } from '../deletion/record-mentions.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { findRow, listRows, readIdRange } from '../schema/rows.ts'
import {
  BATCH,
  deleteRequestsUpTo,
  insertBatch,
  type LineWithId,
  type RequestRange,
  readLines,
  readLog,
  readStoredRange,
} from './request-batches.ts'

/** Requests that a step reads: a few milliseconds, for which pushes wait on SQLite. */
const STEP = 2000
/** Requests that a save deletes at most, twice as many as a full batch has. */
const DELETION_STEP = 2 * BATCH
/** Requests wait for a few seconds before they are saved; much longer only while the database is unavailable. */
const RECENT_MS = 3_600_000

type NewRequest = LoggedRequest | EncodedRequest

export function createRequestStore(
  { reader, withoutFsync, acquireLock, clock }: Databases,
  hashReference: HashReference,
): RequestStore {
  return {
    saveRequests: (requests, maxBytes) =>
      withoutFsync(async (db) => {
        await acquireLock(db, 'request log')
        let { last_id, end_bytes } = await readLog(db)
        const at = clock.now()
        const since = new Date(at.getTime() - RECENT_MS).toISOString()
        const stored = await withoutErased(db, requests, { hashReference, since })
        for (let start = 0; start < stored.length; start += BATCH) {
          const batch = stored.slice(start, start + BATCH)
          for (const request of batch) end_bytes += sizeOf(request)
          const row = { first_id: last_id + 1, at: at.toISOString(), end_bytes }
          await insertBatch(db, row, batch.map(encode))
          await insertDetails(db, batch, row.first_id)
          last_id += batch.length
        }
        await db
          .insertInto('request_log')
          .values({ log_id: 1, last_id, end_bytes })
          .onConflict((conflict) => conflict.column('log_id').doUpdateSet({ last_id, end_bytes }))
          .execute()
        await deleteOldest(db, end_bytes - maxBytes)
      }),

    async scanRequests({ order, start, limit, ...filter }) {
      const step = await readStep(reader, { order, start }, filter)
      if (order === 'newest') step.requests.reverse()
      const requests = step.requests.slice(0, limit)
      const last = requests.at(-1)
      return { requests, next: requests.length === limit && last ? last.id : step.next }
    },

    async countRequests({ start, ...filter }) {
      const { requests, next } = await readStep(reader, { order: 'newest', start }, filter)
      const counts: Record<string, number> = {}
      for (const { status } of requests) {
        const digit = Math.trunc(status / 100)
        counts[digit] = (counts[digit] ?? 0) + 1
      }
      return { counts, next }
    },

    readNewestPosition: async () => (await readLog(reader)).last_id,

    async readRequest(id) {
      const lines = await readLines(reader, { first: id, last: id })
      const [request] = await withPlatforms(reader, lines)
      if (!request) return null
      const match = { logged_request_id: id }
      const columns = ['headers', 'body', 'response'] as const
      const details = await findRow(reader, 'request_details', match, columns)
      return {
        ...request,
        details: details ? { ...details, headers: JSON.parse(details.headers) } : null,
      }
    },
  }
}

function encode(request: NewRequest): EncodedRequest {
  if (typeof request === 'string') return request
  const { at, details, ...line } = request
  return encodeRequest(line, Date.parse(at), details !== null && details.body !== null)
}

async function insertDetails(
  db: Executor,
  requests: readonly NewRequest[],
  first_id: number,
): Promise<void> {
  const rows = requests.flatMap((request, index) => {
    if (typeof request === 'string' || request.details === null) return []
    const { headers, body, response } = request.details
    const logged_request_id = first_id + index
    return { logged_request_id, headers: JSON.stringify(headers), body, response }
  })
  if (rows.length > 0) await db.insertInto('request_details').values(rows).execute()
}

/** Leaves out requests of removed platforms, and what names erased records. */
async function withoutErased(
  db: Executor,
  requests: readonly NewRequest[],
  { hashReference, since }: { hashReference: HashReference; since: string },
): Promise<NewRequest[]> {
  const platformIds = requests.flatMap(
    (one) => (typeof one === 'string' ? platformOf(one) : one.platform_id) ?? [],
  )
  const ids = [...new Set(platformIds)]
  const firstNames = await readFirstNames(db, ids)
  const match = { at: sql`>= ${since}` }
  const recent = await listRows(db, 'tombstones', match, ['record_id', 'platform_name'])
  const recentlyErased = new Set<number | null>(recent.map(({ record_id }) => record_id))
  const ofRecent = new Set(recent.map(({ platform_name }) => platform_name))
  const decodes = recent.length > 0 || firstNames.size < ids.length
  const stored: NewRequest[] = []
  for (const one of requests) {
    if (typeof one === 'string' && !decodes) {
      stored.push(one)
      continue
    }
    const request = typeof one === 'string' ? decode(one) : one
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

function decode(request: EncodedRequest): LoggedRequest {
  const { body_kept: _, ...line } = decodeRequest(JSON.parse(request))
  return { ...line, details: null }
}

/** The first names of the platforms that are not removed. */
async function readFirstNames(db: Executor, ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('platforms as p')
    .select(['p.platform_id', FIRST_NAME.as('first_name')])
    .where('p.platform_id', 'in', ids)
    .where('p.removed_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.platform_id, row.first_name]))
}

/** Deletes the oldest batches up to the position in bytes. */
async function deleteOldest(db: Executor, upTo: number): Promise<void> {
  const { first } = await readIdRange(db, 'request_batches', 'first_id')
  if (first === null) return
  const { last } = await db
    .selectFrom('request_batches')
    .select((eb) => eb.fn.max('last_id').as('last'))
    .where('first_id', '<', first + DELETION_STEP)
    .where('end_bytes', '<=', upTo)
    .executeTakeFirstOrThrow()
  if (last !== null) await deleteRequestsUpTo(db, last)
}

/** Reads the requests of a step that match, oldest first. `next` is where the next step continues; null at the end. */
async function readStep(
  db: Executor,
  { order, start }: { order: 'newest' | 'oldest'; start: number | null },
  filter: RequestFilter,
): Promise<{ requests: StoredRequest[]; next: number | null }> {
  const stored = await readStoredRange(db)
  const step = stored && stepOf(stored, order, start)
  if (!step) return { requests: [], next: null }
  const { source } = filter
  const lines = await readLines(db, step, source ? [source.platform_id, null] : undefined)
  const matching = lines.filter((line) => matches(line, filter))
  return { requests: await withPlatforms(db, matching), next: step.next }
}

/** The ids of the next step, and where the one after it continues; null at the end of the log. */
function stepOf(
  { first: lowest, last: highest }: RequestRange,
  order: 'newest' | 'oldest',
  start: number | null,
): (RequestRange & { next: number | null }) | null {
  if (order === 'newest') {
    const last = Math.min(highest, start === null ? highest : start - 1)
    const first = Math.max(lowest, last - STEP + 1)
    return last < lowest ? null : { first, last, next: first > lowest ? first : null }
  }
  const first = Math.max(lowest, start === null ? lowest : start + 1)
  const last = Math.min(highest, first + STEP - 1)
  return first > highest ? null : { first, last, next: last < highest ? last : null }
}

/** Leaves out the requests of removed platforms. */
async function withPlatforms(db: Executor, lines: LineWithId[]): Promise<StoredRequest[]> {
  const ids = [...new Set(lines.flatMap(({ platform_id }) => platform_id ?? []))]
  const match = { platform_id: ids, removed_at: null }
  const platforms =
    ids.length === 0 ? [] : await listRows(db, 'platforms', match, ['platform_id', 'platform_name'])
  const names = new Map<number | null, string | null>([[null, null]])
  for (const { platform_id, platform_name } of platforms) names.set(platform_id, platform_name)
  return lines.flatMap(({ platform_id, ...line }) => {
    const platform_name = names.get(platform_id)
    return platform_name === undefined ? [] : { ...line, platform_name }
  })
}

function matches(line: LineWithId, filter: RequestFilter): boolean {
  const { source, record_type, status, request_id, since, until } = filter
  return (
    (source === null || isOfSource(line, source)) &&
    (record_type === null || line.record_type === record_type) &&
    (status === null || (line.status >= status.min && line.status <= status.max)) &&
    (request_id === null || line.request_id === request_id) &&
    (since === null || line.at >= since) &&
    (until === null || line.at <= until)
  )
}

function isOfSource(
  { platform_id, key_hint, address }: LineWithId,
  source: NonNullable<RequestFilter['source']>,
): boolean {
  if (platform_id !== null) return platform_id === source.platform_id
  return (
    (key_hint !== null && source.key_hints.includes(key_hint)) || source.addresses.includes(address)
  )
}
