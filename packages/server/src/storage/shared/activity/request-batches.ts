/** The rows of the request log, each of which contains a batch of requests as JSON. */
import { sql } from 'kysely'
import {
  decodeRequest,
  type EncodedRequest,
  platformOf,
  type RequestElements,
  type RequestLine,
} from '../../../domain/activity/request-log.ts'
import type { Executor } from '../schema/databases.ts'
import { readIdRange } from '../schema/rows.ts'

/** The requests of a row. */
export const BATCH = 1000
/** In `platforms`, for requests without a valid key. */
const NO_PLATFORM = 0

export type LineWithId = RequestLine & { id: number }
/** Ids, both included. */
export type RequestRange = { first: number; last: number }

/** The last id that was given to a request, and the size of all requests so far. */
export async function readLog(db: Executor): Promise<{ last_id: number; end_bytes: number }> {
  const row = await db.selectFrom('request_log').select(['last_id', 'end_bytes']).executeTakeFirst()
  return row ?? { last_id: 0, end_bytes: 0 }
}

/** The ids of the requests that are stored; null without any. */
export async function readStoredRange(db: Executor): Promise<RequestRange | null> {
  const { first } = await readIdRange(db, 'request_batches', 'first_id')
  return first === null ? null : { first, last: (await readLog(db)).last_id }
}

/**
 * Reads the requests of a range, oldest first.
 * @param platformIds leaves out batches without requests of these platforms, or null without a platform.
 */
export async function readLines(
  db: Executor,
  { first, last }: RequestRange,
  platformIds?: readonly (number | null)[],
): Promise<LineWithId[]> {
  let select = db
    .selectFrom('request_batches')
    .select(['first_id', 'lines'])
    .where('first_id', '>', first - BATCH)
    .where('first_id', '<=', last)
    .where('last_id', '>=', first)
  if (platformIds) select = select.where((eb) => eb.or(platformIds.map(containsPlatform)))
  const batches = await select.orderBy('first_id').execute()
  const lines = batches.flatMap(({ first_id, lines }) =>
    parseLines(lines).flatMap((elements, index) =>
      elements === null ? [] : { id: first_id + index, ...decodeRequest(elements) },
    ),
  )
  return lines.filter(({ id }) => id >= first && id <= last)
}

/** The ids of requests of a platform; an empty list if it has none. */
export async function findRequestsOf(db: Executor, platform_id: number): Promise<number[]> {
  const batch = await db
    .selectFrom('request_batches')
    .select(['first_id', 'last_id'])
    .where(containsPlatform(platform_id))
    .limit(1)
    .executeTakeFirst()
  if (!batch) return []
  const lines = await readLines(db, { first: batch.first_id, last: batch.last_id })
  return lines.filter((line) => line.platform_id === platform_id).map(({ id }) => id)
}

/** @param lines at most {@link BATCH}. */
export async function insertBatch(
  db: Executor,
  batch: { first_id: number; at: string; end_bytes: number },
  lines: readonly EncodedRequest[],
): Promise<void> {
  const row = {
    ...batch,
    last_id: batch.first_id + lines.length - 1,
    platforms: toPlatforms(lines),
    lines: `[${lines.join()}]`,
  }
  await db.insertInto('request_batches').values(row).execute()
}

/** Deletes requests, not far from each other, with their details. The transaction has the lock of the log. */
export async function deleteRequests(db: Executor, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('request_details').where('logged_request_id', 'in', ids).execute()
  const deleted = new Set(ids)
  const batches = await db
    .selectFrom('request_batches')
    .select(['first_id', 'lines'])
    .where('first_id', '>', Math.min(...ids) - BATCH)
    .where('first_id', '<=', Math.max(...ids))
    .execute()
  for (const { first_id, lines } of batches) {
    const left = parseLines(lines).map((elements, index) =>
      deleted.has(first_id + index) ? null : elements,
    )
    const encoded = left.map((elements) => JSON.stringify(elements))
    if (left.every((elements) => elements === null)) {
      await db.deleteFrom('request_batches').where('first_id', '=', first_id).execute()
    } else {
      await db
        .updateTable('request_batches')
        .set({ lines: `[${encoded.join()}]`, platforms: toPlatforms(encoded) })
        .where('first_id', '=', first_id)
        .execute()
    }
  }
}

/** Deletes all requests up to the last one of a batch, with their details. */
export async function deleteRequestsUpTo(db: Executor, last: number): Promise<void> {
  await db.deleteFrom('request_details').where('logged_request_id', '<=', last).execute()
  await db.deleteFrom('request_batches').where('last_id', '<=', last).execute()
}

const containsPlatform = (id: number | null) =>
  sql<boolean>`platforms LIKE ${`%,${id ?? NO_PLATFORM},%`}`

/** A deleted request has no platform. */
function toPlatforms(lines: readonly string[]): string {
  const ids = lines.flatMap((line) => (line === 'null' ? [] : (platformOf(line) ?? NO_PLATFORM)))
  return `,${[...new Set(ids)].join()},`
}

function parseLines(lines: string): (RequestElements | null)[] {
  return JSON.parse(lines)
}
