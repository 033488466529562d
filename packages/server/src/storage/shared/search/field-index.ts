/** Maintains the indexes of fields, by which lists are filtered and sorted. */

import { parsePath } from '@recordhub/protocol/data-path'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { type RawBuilder, sql } from 'kysely'
import { sortKeyAt } from '../../../domain/record/sort-key.ts'
import { TOKENS_VERSION } from '../../../domain/search/search-tokens.ts'
import { takeWithinBytes } from '../../../lib/collections/pagination.ts'
import { IN_LIST_INDEX } from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'
import { deleteRows, findRow } from '../schema/rows.ts'

type FieldValue = {
  platform_id: number
  field_id: number
  record_id: number
  sort_key: string | null
}

/** The functions of the indexes of fields that differ between engines. */
export type FieldIndexDialect = {
  /** Runs work in a transaction; returns null if another process is indexing. */
  runExclusively: <Result>(work: (db: Executor) => Promise<Result>) => Promise<Result | null>
  saveValues: (db: Executor, values: FieldValue[]) => Promise<void>
}

type FieldIndexDeps = FieldIndexDialect & {
  readCommitWatermark: (db: Executor) => Promise<number>
}

/** As `SearchIndexStore.indexFields`. Without indexed fields, it reads no records. */
export async function indexFields(
  reader: Executor,
  deps: FieldIndexDeps,
  limit: number,
): Promise<number> {
  if (!(await hasIndexedFields(reader, { isDeleting: true }))) return 0
  const indexed = await deps.runExclusively(async (db) => {
    const changed = await indexChanges(db, deps, limit)
    if (changed === limit) return changed
    const built = changed + (await buildIndex(db, deps, limit - changed))
    return built === limit ? built : built + (await deleteIndex(db, limit - built))
  })
  return indexed ?? 0
}

/** @param options whether fields count whose index is being deleted. */
export async function hasIndexedFields(
  db: Executor,
  { isDeleting = false }: { isDeleting?: boolean } = {},
): Promise<boolean> {
  let select = db.selectFrom('indexed_fields').select('field_id').limit(1)
  if (!isDeleting) select = select.where('is_deleting', '=', 0)
  return (await select.executeTakeFirst()) !== undefined
}

/**
 * Indexes the records that changed since the last call, in the modules that have indexed fields.
 * @returns the number of records indexed.
 */
async function indexChanges(db: Executor, deps: FieldIndexDeps, limit: number): Promise<number> {
  const fieldsOf = Map.groupBy(await selectFields(db).execute(), (field) => field.module_id)
  if (fieldsOf.size === 0) return 0
  const watermark = await deps.readCommitWatermark(db)
  const position = await readFeedPosition(db, 'fields')
  const changed = sql<boolean>`module_id IN (${sql.join([...fieldsOf.keys()])})
    AND change_seq > ${position} AND change_seq <= ${watermark}`
  const { records, last } = await readChanged(db, changed, limit)
  const values = records.flatMap((record) => {
    const data = parseLossless(record.data)
    return (fieldsOf.get(record.module_id) ?? []).map((field) =>
      toValue({ ...record, data }, field),
    )
  })
  await deps.saveValues(db, values)
  const next = last ?? watermark
  if (next > position) await saveFeedPosition(db, 'fields', next)
  return records.length
}

/**
 * Continues to build the first incomplete index, from records that have not changed since it was chosen. `indexChanges`
 * adds the others.
 */
async function buildIndex(db: Executor, deps: FieldIndexDeps, limit: number): Promise<number> {
  const field = await selectFields(db)
    .whereRef('backfilled_seq', '<', 'backfill_end_seq')
    .orderBy('field_id')
    .limit(1)
    .executeTakeFirst()
  if (!field) return 0
  const missing = sql<boolean>`platform_id = ${field.platform_id} AND module_id = ${field.module_id}
    AND change_seq > ${field.backfilled_seq} AND change_seq <= ${field.backfill_end_seq}`
  const { records, last } = await readChanged(db, missing, limit)
  const values = records.map((record) =>
    toValue({ ...record, data: parseLossless(record.data) }, field),
  )
  await deps.saveValues(db, values)
  await db
    .updateTable('indexed_fields')
    .set({ backfilled_seq: last ?? field.backfill_end_seq })
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
    .where((eb) => eb.and({ platform_id, field_id }))
    .limit(limit)
  const match = { platform_id, field_id, record_id: sql`IN ${nextIds}` }
  const deleted = await deleteRows(db, 'record_index', match)
  if (deleted === limit) return limit
  await db.deleteFrom('indexed_fields').where('field_id', '=', field_id).execute()
  return deleted + 1
}

function selectFields(db: Executor) {
  return db.selectFrom('indexed_fields').selectAll().where('is_deleting', '=', 0)
}

/** The data that one step reads and parses, in bytes, unless its first record is larger. */
const MAX_STEP_BYTES = 4_000_000

/**
 * Reads the first records, in the order of their changes.
 * @returns `last` is the number of the last change; null if these are all.
 */
async function readChanged(db: Executor, condition: RawBuilder<boolean>, limit: number) {
  const inOrder = db
    .selectFrom('records')
    .where(IN_LIST_INDEX)
    .where(condition)
    .orderBy('change_seq')
  const located = await inOrder
    .select(['change_seq', sql<number>`octet_length(data)`.as('bytes')])
    .limit(limit)
    .execute()
  const step = takeWithinBytes(located, MAX_STEP_BYTES)
  const end = step.at(-1)?.change_seq ?? 0
  const records = await inOrder
    .select(['record_id', 'module_id', 'data'])
    .where('change_seq', '<=', end)
    .execute()
  return { records, last: step.length === limit || step.length < located.length ? end : null }
}

type Parsed = { record_id: number; data: ReturnType<typeof parseLossless> }

function toValue(
  { record_id, data }: Parsed,
  field: { platform_id: number; field_id: number; field_key: string; is_numeric: number },
): FieldValue {
  const { platform_id, field_id, field_key } = field
  const sort_key = sortKeyAt(data, parsePath(field_key), field.is_numeric === 1)
  return { platform_id, field_id, record_id, sort_key }
}

/** Followers of the feed. An index with other tokens is another follower, which begins with the first change. */
const CONSUMERS = { fields: 'field index', texts: `text index ${TOKENS_VERSION}` } as const
type SearchFeed = keyof typeof CONSUMERS

/** Returns the number in the feed of changes up to which records are indexed; 0 if there is none. */
export async function readFeedPosition(db: Executor, feed: SearchFeed): Promise<number> {
  const match = { consumer: CONSUMERS[feed] }
  return (await findRow(db, 'change_feed_positions', match, ['position']))?.position ?? 0
}

export async function saveFeedPosition(
  db: Executor,
  feed: SearchFeed,
  position: number,
): Promise<void> {
  await db
    .insertInto('change_feed_positions')
    .values({ consumer: CONSUMERS[feed], position })
    .onConflict((conflict) => conflict.column('consumer').doUpdateSet({ position }))
    .execute()
}
