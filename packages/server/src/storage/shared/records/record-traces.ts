/** What names a record beside itself: found in steps, since pushes wait for a long read on SQLite. */

import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import type { RawBuilder } from 'kysely'
import { namesRecord, type RecordReference } from '../../../domain/record/erasure.ts'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { Executor } from '../schema/databases.ts'

export type NamedRecord = RecordReference & {
  record_id: number
  platform_id: number
  module_id: number
  module_name: string
  full_name: string
}

/** Whether a column holds a text, as the engine says it. */
export type Contains = (column: string, text: string) => RawBuilder<boolean>

/** Ids looked at in one step; refused bodies may be a megabyte each. */
const REFUSED_STEP = 200
const LINES_STEP = 2000

/** Null for one that is not there, or goes with its platform. */
export async function findNamed(db: Executor, recordId: number): Promise<NamedRecord | null> {
  const row = await db
    .selectFrom('records as r')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
    .select([
      'r.record_id',
      'r.platform_id',
      'r.module_id',
      'p.platform_name',
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

/** Refused pushes and pulled records of the platform that name the record or became it. */
export async function* findRefused(
  db: Executor,
  record: NamedRecord,
  contains: Contains,
): AsyncGenerator<number[]> {
  const ends = await db
    .selectFrom('rejected_pushes')
    .select((eb) => [
      eb.fn.min<number | null>('rejected_push_id').as('first'),
      eb.fn.max<number | null>('rejected_push_id').as('last'),
    ])
    .executeTakeFirstOrThrow()
  const modules = await db
    .selectFrom('modules')
    .select('record_type')
    .where('platform_id', '=', record.platform_id)
    .where('record_type', '!=', record.record_type)
    .execute()
  // What was meant for another module is about another record; a module that there is not may be a slip.
  const otherTypes = new Set<string | null>(modules.map((module) => module.record_type))
  for (const { from, to } of steps(ends, REFUSED_STEP)) {
    const rows = await db
      .selectFrom('rejected_pushes')
      .select(['rejected_push_id', 'record_type', 'body', 'replay_record_id'])
      .where('rejected_push_id', '>=', from)
      .where('rejected_push_id', '<=', to)
      .where('platform_id', '=', record.platform_id)
      .where((eb) =>
        eb.or([
          contains('body', inJson(record.reference_number)),
          eb('replay_record_id', '=', record.record_id),
        ]),
      )
      .execute()
    const named = rows.filter(
      ({ record_type, body, replay_record_id }) =>
        // Replayed with another body, it may not name what it became.
        replay_record_id === record.record_id ||
        (!otherTypes.has(record_type) && namesRecord(body, record.reference_number)),
    )
    if (named.length > 0) yield named.map(({ rejected_push_id }) => rejected_push_id)
    await yieldToEventLoop()
  }
}

/** Lines of the activity that name the record and still say so. */
export async function* findLines(
  db: Executor,
  record: NamedRecord,
  contains: Contains,
): AsyncGenerator<number[]> {
  const ends = await db
    .selectFrom('activity')
    .select((eb) => [
      eb.fn.min<number | null>('activity_id').as('first'),
      eb.fn.max<number | null>('activity_id').as('last'),
    ])
    .executeTakeFirstOrThrow()
  for (const { from, to } of steps(ends, LINES_STEP)) {
    const rows = await db
      .selectFrom('activity')
      .select(['activity_id', 'record_id', 'details'])
      .where('activity_id', '>=', from)
      .where('activity_id', '<=', to)
      .where('platform_name', '=', record.platform_name)
      .where((eb) =>
        eb.or([
          contains('details', inJson(record.reference_number)),
          eb.and([eb('record_id', '=', record.record_id), eb('details', '!=', '{}')]),
        ]),
      )
      .execute()
    const others = await findOthers(db, record, rows)
    const named = rows.filter(
      ({ record_id, details }) =>
        record_id === record.record_id ||
        (!others.has(record_id) && referenceIn(details) === record.reference_number),
    )
    if (named.length > 0) yield named.map(({ activity_id }) => activity_id)
    await yieldToEventLoop()
  }
}

/** Those of the lines' records that are there and are others: the same reference in another module. */
async function findOthers(
  db: Executor,
  record: NamedRecord,
  lines: { record_id: number | null }[],
): Promise<Set<number | null>> {
  const ids = new Set(lines.flatMap(({ record_id }) => record_id ?? []))
  ids.delete(record.record_id)
  if (ids.size === 0) return new Set()
  const rows = await db
    .selectFrom('records')
    .select('record_id')
    .where('record_id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ record_id }) => record_id))
}

function referenceIn(details: string): unknown {
  const value = parseLossless(details)
  return isJsonObject(value) ? value['reference_number'] : undefined
}

/** A text as it stands within the JSON texts that the hub writes. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function* steps(
  { first, last }: { first: number | null; last: number | null },
  size: number,
): Generator<{ from: number; to: number }> {
  if (first === null || last === null) return
  for (let from = first; from <= last; from += size) yield { from, to: from + size - 1 }
}
