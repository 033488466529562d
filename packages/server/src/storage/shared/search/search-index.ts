/** Keeps the indexes that lists of records are searched, filtered and sorted by. */

import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import { sql } from 'kysely'
import { sortKeyOf } from '../../../domain/record/sort-key.ts'
import { indexText } from '../../../domain/search/search-text.ts'
import { LAG_LIMIT, type SearchIndexStore } from '../../port/search-index-store.ts'
import { listFields, setFields } from '../record-list/indexed-fields.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { readFeedPosition, saveFeedPosition } from './search-feed.ts'

type IndexedText = { platform_id: number; record_id: number; text: string }
type FieldValue = {
  platform_id: number
  field_id: number
  record_id: number
  sort_key: string | null
}

/** What an engine does its own way. */
export type SearchIndexParts = {
  /** A number of the write sequence that no transaction under way can still write at or below. */
  readSettled: () => Promise<number>
  /** Does the work in a transaction; null where another process is at such work. */
  inTurn: <Result>(work: (db: Executor) => Promise<Result>) => Promise<Result | null>
  /** Puts texts in the place of those that are there; within the transaction. */
  saveTexts: (db: Executor, texts: IndexedText[]) => Promise<void>
  saveValues: (db: Executor, values: FieldValue[]) => Promise<void>
  hasTextIndex: () => Promise<boolean>
}

export function createSearchIndexStore(
  { reader, writer, hold }: Databases,
  parts: SearchIndexParts,
): SearchIndexStore {
  return {
    async indexNext(limit) {
      const settled = await parts.readSettled()
      const taken = await parts.inTurn(async (db) => {
        const followed = await follow(db, parts, settled, limit)
        if (followed === limit) return followed
        const built = followed + (await build(db, parts, limit - followed))
        return built === limit ? built : built + (await clear(db, limit - built))
      })
      return taken ?? 0
    },

    async readSearchIndex() {
      const position = await readFeedPosition(reader)
      const behind = reader
        .selectFrom('records')
        .select('change_seq')
        .where('change_seq', '>', position)
        .where(sql<boolean>`pushed_seq >= 0`)
        .limit(LAG_LIMIT)
      const counted = await reader
        .selectFrom(behind.as('b'))
        .select((eb) => eb.fn.countAll<number>().as('lag'))
        .executeTakeFirstOrThrow()
      const first = await reader
        .selectFrom('records')
        .select('updated_at')
        .where('change_seq', '>', position)
        .where(sql<boolean>`pushed_seq >= 0`)
        .orderBy('change_seq')
        .limit(1)
        .executeTakeFirst()
      return {
        lag: Number(counted.lag),
        behind_since: first?.updated_at ?? null,
        has_text_index: await parts.hasTextIndex(),
      }
    },

    listIndexedFields: (platformId, recordType) => listFields(reader, platformId, recordType),

    setIndexedFields: (choice, log) =>
      writer.transaction().execute(async (db) => {
        await hold(db, 'search index')
        return setFields(db, choice, log)
      }),
  }
}

/** @returns how many records were taken. */
async function follow(
  db: Executor,
  parts: SearchIndexParts,
  settled: number,
  limit: number,
): Promise<number> {
  const position = await readFeedPosition(db)
  const records = await selectChanged(db)
    .where('change_seq', '>', position)
    .where('change_seq', '<=', settled)
    .limit(limit)
    .execute()
  const last = records.at(-1)
  if (!last) return 0
  const fields = await selectFields(db).execute()
  const parsed = records.map((record) => ({ ...record, data: parseLossless(record.data) }))
  await parts.saveTexts(
    db,
    parsed.map((record) => ({
      platform_id: record.platform_id,
      record_id: record.record_id,
      text: indexText(record),
    })),
  )
  await parts.saveValues(
    db,
    parsed.flatMap((record) =>
      fields
        .filter((field) => field.module_id === record.module_id)
        .map((field) => toValue(record, field)),
    ),
  )
  await saveFeedPosition(db, last.change_seq)
  return records.length
}

/** Goes on with the first index that is not built: records that have changed since are followed anyway. */
async function build(db: Executor, parts: SearchIndexParts, limit: number): Promise<number> {
  const field = await selectFields(db)
    .whereRef('built_seq', '<', 'build_to')
    .orderBy('field_id')
    .limit(1)
    .executeTakeFirst()
  if (!field) return 0
  const records = await selectChanged(db)
    .where('platform_id', '=', field.platform_id)
    .where('module_id', '=', field.module_id)
    .where('change_seq', '>', field.built_seq)
    .where('change_seq', '<=', field.build_to)
    .limit(limit)
    .execute()
  const values = records.map((record) =>
    toValue({ ...record, data: parseLossless(record.data) }, field),
  )
  await parts.saveValues(db, values)
  const last = records.length < limit ? undefined : records.at(-1)
  await db
    .updateTable('indexed_fields')
    .set({ built_seq: last?.change_seq ?? field.build_to })
    .where('field_id', '=', field.field_id)
    .execute()
  return Math.max(records.length, 1)
}

/** Takes away what the index of a field that was chosen no more has left behind. */
async function clear(db: Executor, limit: number): Promise<number> {
  const field = await db
    .selectFrom('indexed_fields')
    .select(['platform_id', 'field_id'])
    .where('is_leaving', '=', 1)
    .limit(1)
    .executeTakeFirst()
  if (!field) return 0
  const { platform_id, field_id } = field
  const some = db
    .selectFrom('record_index')
    .select('record_id')
    .where('platform_id', '=', platform_id)
    .where('field_id', '=', field_id)
    .limit(limit)
  const { numDeletedRows } = await db
    .deleteFrom('record_index')
    .where('platform_id', '=', platform_id)
    .where('field_id', '=', field_id)
    .where('record_id', 'in', some)
    .executeTakeFirst()
  if (Number(numDeletedRows) === limit) return limit
  await db.deleteFrom('indexed_fields').where('field_id', '=', field_id).execute()
  return Number(numDeletedRows) + 1
}

function selectFields(db: Executor) {
  return db.selectFrom('indexed_fields').selectAll().where('is_leaving', '=', 0)
}

function selectChanged(db: Executor) {
  return db
    .selectFrom('records')
    .select([
      'record_id',
      'platform_id',
      'module_id',
      'reference_number',
      'full_name',
      'data',
      'change_seq',
    ])
    .where(sql<boolean>`pushed_seq >= 0`)
    .orderBy('change_seq')
}

type Parsed = { record_id: number; data: ReturnType<typeof parseLossless> }

function toValue(
  { record_id, data }: Parsed,
  field: { platform_id: number; field_id: number; field_key: string; is_numeric: number },
): FieldValue {
  const { platform_id, field_id, field_key } = field
  const value = isJsonObject(data) && Object.hasOwn(data, field_key) ? data[field_key] : undefined
  return { platform_id, field_id, record_id, sort_key: sortKeyOf(value, field.is_numeric === 1) }
}
