/**
 * Finds rejected pushes and activity entries that name a record. Reads them in small steps, since pushes wait for a long
 * read on SQLite.
 */
import { MAX_REFERENCE_BYTES } from '@recordhub/protocol'
import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import { type RawBuilder, sql } from 'kysely'
import {
  findReferences,
  type HashReference,
  mayContainReference,
  type RecordReference,
} from '../../../domain/record/erasure.ts'
import { referenceOf } from '../../../domain/record/record-input.ts'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { NewRejectedPush } from '../../port/rejected-push-store.ts'
import { readLines, readStoredRange } from '../activity/request-batches.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import type { Executor } from '../schema/databases.ts'
import { HELD } from '../schema/pull-tables.ts'
import { findRow, type IdRange, listRows, readIdRange } from '../schema/rows.ts'

export type NamedRecord = RecordReference & {
  record_id: number
  platform_id: number
  module_id: number
  platform_name: string
  module_name: string
  full_name: string
}

/** Returns the engine's condition for a column that contains a text. */
export type Contains = (column: string, text: string) => RawBuilder<boolean>

/** Ids per step. A rejected body may be a megabyte. */
const REJECTED_PUSH_STEP = 200
const ACTIVITY_STEP = 2000
const REQUEST_STEP = 1000
const UNREADABLE = 'invalid_json'
/** Maximum number of hashes per rejected body. A hash takes 30 µs on a slow core, and pushes wait for it. */
const MAX_HASHES = 1000

/** Returns null if the record does not exist, or its platform is being removed. */
export async function findNamedRecord(db: Executor, recordId: number): Promise<NamedRecord | null> {
  const row = await db
    .selectFrom('records as r')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
    .select([
      'r.record_id',
      'r.platform_id',
      'r.module_id',
      'p.platform_name',
      FIRST_NAME.as('first_name'),
      'm.module_name',
      'm.record_type',
      'r.reference_number',
      'r.full_name',
    ])
    .where('r.record_id', '=', recordId)
    .where('p.removed_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Finds the rejected pushes and pulled records of the platform that name the record, or were replayed as it. */
export async function* findRejectedPushes(
  db: Executor,
  record: NamedRecord,
  contains: Contains,
): AsyncGenerator<number[]> {
  const range = await readIdRange(db, 'rejected_pushes', 'rejected_push_id')
  const otherTypes = await findOtherTypes(db, record)
  yield* inSteps(range, REJECTED_PUSH_STEP, async (from, to) => {
    const rows = await db
      .selectFrom('rejected_pushes')
      .select(['rejected_push_id', 'record_type', 'code', 'body', 'replay_record_id'])
      .where('rejected_push_id', '>=', from)
      .where('rejected_push_id', '<=', to)
      .where('platform_id', '=', record.platform_id)
      .where((eb) =>
        eb.or([
          contains('body', escapeJson(record.reference_number)),
          eb('replay_record_id', '=', record.record_id),
        ]),
      )
      .execute()
    const named = rows.filter(
      ({ record_type, replay_record_id, ...push }) =>
        // If the body was edited before the replay, the original may not name the record.
        replay_record_id === record.record_id ||
        (!otherTypes.has(record_type) &&
          mayContainReference(namingPart(push), record.reference_number)),
    )
    return named.map(({ rejected_push_id }) => rejected_push_id)
  })
}

/** Finds the logged requests of the platform that name the record. */
export async function* findRequests(
  db: Executor,
  record: NamedRecord,
  contains: Contains,
): AsyncGenerator<number[]> {
  const { platform_id, record_id, reference_number } = record
  const stored = (await readStoredRange(db)) ?? { first: null, last: null }
  const otherTypes = await findOtherTypes(db, record)
  yield* inSteps(stored, REQUEST_STEP, async (from, to) => {
    const read = await readLines(db, { first: from, last: to }, [platform_id])
    const lines = read.filter((line) => line.platform_id === platform_id)
    const kept = lines.filter((line) => line.body_kept)
    // What is not JSON may contain the reference in any form.
    const unreadable = kept.filter((line) => line.outcome === UNREADABLE)
    const idsOf = (some: typeof lines) => [0, ...some.map(({ id }) => id)]
    const bodies = await db
      .selectFrom('request_details')
      .select(['logged_request_id', 'body'])
      .where('logged_request_id', 'in', idsOf(kept))
      .where((eb) =>
        eb.or([
          contains('body', escapeJson(reference_number)),
          eb('logged_request_id', 'in', idsOf(unreadable)),
        ]),
      )
      .execute()
    const bodyOf = new Map(bodies.map((row) => [row.logged_request_id, row.body]))
    const named = lines.filter((line) => {
      if (line.record_id === record_id) return true
      if (otherTypes.has(line.record_type)) return false
      const body = bodyOf.get(line.id) ?? null
      return (
        line.reference_number === reference_number ||
        (body !== null && mayContainReference(body, reference_number))
      )
    })
    return named.map(({ id }) => id)
  })
}

/**
 * The other modules of the platform: a push for one of them names another record. The record type of an unknown module may
 * be a typing error.
 */
async function findOtherTypes(db: Executor, record: NamedRecord): Promise<Set<string | null>> {
  const { platform_id, record_type } = record
  const match = { platform_id, record_type: sql`<> ${record_type}` }
  const modules = await listRows(db, 'modules', match, ['record_type'])
  return new Set<string | null>(modules.map((module) => module.record_type))
}

/** Finds the activity entries that name the record and are not yet redacted. */
export async function* findActivityEntries(
  db: Executor,
  record: NamedRecord,
  contains: Contains,
): AsyncGenerator<number[]> {
  const range = await readIdRange(db, 'activity', 'activity_id')
  yield* inSteps(range, ACTIVITY_STEP, async (from, to) => {
    const rows = await db
      .selectFrom('activity')
      .select(['activity_id', 'record_id', 'details'])
      .where('activity_id', '>=', from)
      .where('activity_id', '<=', to)
      .where((eb) =>
        eb.or([
          eb('platform_id', '=', record.platform_id),
          // Entries of the platform before it was removed and registered again.
          eb('platform_name', 'in', [record.platform_name, record.first_name]),
        ]),
      )
      .where((eb) =>
        eb.or([
          contains('details', escapeJson(record.reference_number)),
          eb.and([eb('record_id', '=', record.record_id), eb('details', '!=', '{}')]),
        ]),
      )
      .execute()
    const otherRecords = await findOtherRecords(db, record, rows)
    const named = rows.filter(
      ({ record_id, details }) =>
        record_id === record.record_id ||
        (!otherRecords.has(record_id) && readReference(details) === record.reference_number),
    )
    return named.map(({ activity_id }) => activity_id)
  })
}

/** Returns the other existing records of these entries, which have the same reference in another module. */
async function findOtherRecords(
  db: Executor,
  record: NamedRecord,
  entries: { record_id: number | null }[],
): Promise<Set<number | null>> {
  const ids = new Set(entries.flatMap(({ record_id }) => record_id ?? []))
  ids.delete(record.record_id)
  if (ids.size === 0) return new Set()
  const rows = await listRows(db, 'records', { record_id: [...ids] }, ['record_id'])
  return new Set(rows.map(({ record_id }) => record_id))
}

/**
 * The JSON in which a rejected push may name a record: its body, or of a held push, which is valid, its reference. The data
 * of a record may contain the reference of another, erased one too.
 */
function namingPart({ code, body }: { code?: string; body: string }): string {
  if (code !== HELD) return body
  const reference_number = referenceOf(parseLossless(body))
  return reference_number === null ? body : JSON.stringify({ reference_number })
}

/**
 * Whether a rejected push names an erased record of the platform, and must not be stored. Also true if its body has
 * too many texts to check.
 */
export async function namesErasedRecord(
  db: Executor,
  push: Pick<NewRejectedPush, 'platform_id' | 'record_type' | 'body'> & { code?: string },
  { first_name, hashReference }: { first_name: string; hashReference: HashReference },
): Promise<boolean> {
  const { platform_id, record_type } = push
  const erasedTypes = await db
    .selectFrom('tombstones')
    .select('record_type')
    .distinct()
    .where('platform_name', '=', first_name)
    .execute()
  if (erasedTypes.length === 0) return false
  const module = await db
    .selectFrom('modules')
    .select('record_type')
    .where('platform_id', '=', platform_id)
    .where('record_type', '=', record_type)
    .executeTakeFirst()
  // The record type of an unknown module may be a typing error.
  const types = module
    ? erasedTypes.filter((type) => type.record_type === module.record_type)
    : erasedTypes
  if (types.length === 0) return false
  const texts = findReferences(namingPart(push))
  if (texts === null) return true
  const references = [...texts].filter((text) => Buffer.byteLength(text) <= MAX_REFERENCE_BYTES)
  if (references.length * types.length > MAX_HASHES) return true
  const hashes = references.flatMap((reference_number) =>
    types.map((type) => hashReference({ ...type, first_name, reference_number })),
  )
  if (hashes.length === 0) return false
  const tombstone = await findRow(db, 'tombstones', { reference_hash: hashes }, ['tombstone_id'])
  return tombstone !== null
}

/** Reads the reference of the record that an activity entry is about; null if it has none. */
export function readReference(details: string): string | null {
  const value = parseLossless(details)
  const reference = isJsonObject(value) ? value['reference_number'] : undefined
  return typeof reference === 'string' ? reference : null
}

/** Escapes a text as the JSON that the hub writes does. */
function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Yields the ids that `find` returns for parts of a range, between which pushes are processed. */
async function* inSteps(
  { first, last }: IdRange,
  size: number,
  find: (from: number, to: number) => Promise<number[]>,
): AsyncGenerator<number[]> {
  if (first === null || last === null) return
  for (let from = first; from <= last; from += size) {
    const ids = await find(from, from + size - 1)
    if (ids.length > 0) yield ids
    await yieldToEventLoop()
  }
}
