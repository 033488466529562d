/** Maintains the indexes for searching, filtering and sorting lists of records. */
import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import { sortKeyOf } from '../../../domain/record/sort-key.ts'
import { toIndexText } from '../../../domain/search/search-text.ts'
import { LAG_LIMIT, type SearchIndexStore } from '../../port/search-index-store.ts'
import { IN_LIST_INDEX } from '../records/record-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { listIndexedFields, setIndexedFields } from './indexed-fields.ts'
import { readFeedPosition, saveFeedPosition } from './search-feed.ts'

type IndexedText = { platform_id: number; record_id: number; text: string }
type FieldValue = {
  platform_id: number
  field_id: number
  record_id: number
  sort_key: string | null
}

/** The functions of the search index that differ between engines. */
export type SearchIndexDialect = {
  /** Reads the commit watermark: no transaction in flight can write a change up to this number. */
  readWatermark: () => Promise<number>
  /** Runs work in a transaction; returns null if another process is indexing. */
  runExclusively: <Result>(work: (db: Executor) => Promise<Result>) => Promise<Result | null>
  /** Saves or replaces texts, within the transaction. */
  saveTexts: (db: Executor, texts: IndexedText[]) => Promise<void>
  saveValues: (db: Executor, values: FieldValue[]) => Promise<void>
  hasTextIndex: () => Promise<boolean>
}

export function createSearchIndexStore(
  { reader, writer, acquireLock }: Databases,
  dialect: SearchIndexDialect,
): SearchIndexStore {
  return {
    async indexNext(limit) {
      const watermark = await dialect.readWatermark()
      const indexed = await dialect.runExclusively(async (db) => {
        const changed = await indexChanges(db, dialect, watermark, limit)
        if (changed === limit) return changed
        const built = changed + (await buildIndex(db, dialect, limit - changed))
        return built === limit ? built : built + (await deleteIndex(db, limit - built))
      })
      return indexed ?? 0
    },

    async readSearchIndex() {
      const position = await readFeedPosition(reader)
      const behind = reader
        .selectFrom('records')
        .select('change_seq')
        .where('change_seq', '>', position)
        .where(IN_LIST_INDEX)
        .limit(LAG_LIMIT)
      const counted = await reader
        .selectFrom(behind.as('b'))
        .select((eb) => eb.fn.countAll<number>().as('lag'))
        .executeTakeFirstOrThrow()
      const first = await reader
        .selectFrom('records')
        .select('updated_at')
        .where('change_seq', '>', position)
        .where(IN_LIST_INDEX)
        .orderBy('change_seq')
        .limit(1)
        .executeTakeFirst()
      return {
        lag: Number(counted.lag),
        behind_since: first?.updated_at ?? null,
        has_text_index: await dialect.hasTextIndex(),
      }
    },

    listIndexedFields: (platformId, recordType) =>
      listIndexedFields(reader, platformId, recordType),

    setIndexedFields: (choice, log) =>
      writer.transaction().execute(async (db) => {
        await acquireLock(db, 'search index')
        return setIndexedFields(db, choice, log)
      }),
  }
}

/** Indexes the records that changed since the last call. @returns the number of records indexed. */
async function indexChanges(
  db: Executor,
  dialect: SearchIndexDialect,
  watermark: number,
  limit: number,
): Promise<number> {
  const position = await readFeedPosition(db)
  const records = await selectChanged(db)
    .where('change_seq', '>', position)
    .where('change_seq', '<=', watermark)
    .limit(limit)
    .execute()
  const last = records.at(-1)
  if (!last) return 0
  const fields = await selectFields(db).execute()
  const parsed = records.map((record) => ({ ...record, data: parseLossless(record.data) }))
  await dialect.saveTexts(
    db,
    parsed.map((record) => ({
      platform_id: record.platform_id,
      record_id: record.record_id,
      text: toIndexText(record),
    })),
  )
  await dialect.saveValues(
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

/**
 * Continues to build the first incomplete index, from records that have not changed since it was chosen. `indexChanges`
 * adds the others.
 */
async function buildIndex(
  db: Executor,
  dialect: SearchIndexDialect,
  limit: number,
): Promise<number> {
  const field = await selectFields(db)
    .whereRef('backfilled_seq', '<', 'backfill_end_seq')
    .orderBy('field_id')
    .limit(1)
    .executeTakeFirst()
  if (!field) return 0
  const records = await selectChanged(db)
    .where('platform_id', '=', field.platform_id)
    .where('module_id', '=', field.module_id)
    .where('change_seq', '>', field.backfilled_seq)
    .where('change_seq', '<=', field.backfill_end_seq)
    .limit(limit)
    .execute()
  const values = records.map((record) =>
    toValue({ ...record, data: parseLossless(record.data) }, field),
  )
  await dialect.saveValues(db, values)
  const last = records.length < limit ? undefined : records.at(-1)
  await db
    .updateTable('indexed_fields')
    .set({ backfilled_seq: last?.change_seq ?? field.backfill_end_seq })
    .where('field_id', '=', field.field_id)
    .execute()
  return Math.max(records.length, 1)
}

/** Deletes entries of an index that was removed. */
async function deleteIndex(db: Executor, limit: number): Promise<number> {
  const field = await db
    .selectFrom('indexed_fields')
    .select(['platform_id', 'field_id'])
    .where('is_deleting', '=', 1)
    .limit(1)
    .executeTakeFirst()
  if (!field) return 0
  const { platform_id, field_id } = field
  const nextIds = db
    .selectFrom('record_index')
    .select('record_id')
    .where('platform_id', '=', platform_id)
    .where('field_id', '=', field_id)
    .limit(limit)
  const { numDeletedRows } = await db
    .deleteFrom('record_index')
    .where('platform_id', '=', platform_id)
    .where('field_id', '=', field_id)
    .where('record_id', 'in', nextIds)
    .executeTakeFirst()
  if (Number(numDeletedRows) === limit) return limit
  await db.deleteFrom('indexed_fields').where('field_id', '=', field_id).execute()
  return Number(numDeletedRows) + 1
}

function selectFields(db: Executor) {
  return db.selectFrom('indexed_fields').selectAll().where('is_deleting', '=', 0)
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
    .where(IN_LIST_INDEX)
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
