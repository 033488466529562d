/** The indexes of record lists: the text index of the engine, and the indexes of fields. */
import { LAG_LIMIT, type SearchIndexStore } from '../../port/search-index-store.ts'
import { IN_LIST_INDEX } from '../records/record-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import {
  type FieldIndexDialect,
  hasIndexedFields,
  indexFields,
  readFeedPosition,
} from './field-index.ts'
import { listIndexedFields, setIndexedFields } from './indexed-fields.ts'

/** The text index of an engine. */
export type TextIndexStore = {
  /** As `SearchIndexStore.indexTexts`. */
  indexNext: (limit: number) => Promise<number>
  /** Returns the number of the last indexed change; 0 if there is none. */
  readPosition: () => Promise<number>
  /** As `SearchIndexStore.rebuildTextIndex`. */
  rebuild: () => Promise<void>
}

type SearchIndexDeps = {
  texts: TextIndexStore
  fields: FieldIndexDialect
  readCommitWatermark: (db: Executor) => Promise<number>
}

export function createSearchIndexStore(
  { reader, transact }: Databases,
  { texts, fields, readCommitWatermark }: SearchIndexDeps,
): SearchIndexStore {
  /** Without fields, the position of their index is not maintained. */
  async function readPosition(): Promise<number> {
    const position = await texts.readPosition()
    if (!(await hasIndexedFields(reader))) return position
    return Math.min(position, await readFeedPosition(reader, 'fields'))
  }

  return {
    indexTexts: (limit) => texts.indexNext(limit),
    rebuildTextIndex: () => texts.rebuild(),
    indexFields: (limit) => indexFields(reader, { ...fields, readCommitWatermark }, limit),

    readSearchIndex: async () => readLag(reader, await readPosition()),

    listIndexedFields: (platformId, recordType) =>
      listIndexedFields(reader, platformId, recordType),

    setIndexedFields: (choice, log) =>
      transact(['field index'], (db) => setIndexedFields(db, readCommitWatermark, choice, log)),
  }
}

/** Reads how far an index that has the changes up to `position` is behind the records. */
export async function readLag(
  reader: Executor,
  position: number,
): ReturnType<SearchIndexStore['readSearchIndex']> {
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
  return { lag: Number(counted.lag), behind_since: first?.updated_at ?? null }
}
