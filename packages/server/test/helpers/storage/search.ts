/** Searches, filters and sort orders in tests of the storage. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { createMatcher } from '../../../src/domain/record/record-match.ts'
import {
  type FieldKinds,
  isDataColumn,
  pathOfColumn,
} from '../../../src/domain/record/record-query.ts'
import { isSortedAsNumber, sortKeyAt } from '../../../src/domain/record/sort-key.ts'
import type {
  Position,
  RecordPage,
  RecordQuery,
  RecordRow,
} from '../../../src/storage/port/record-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { searchFileOf } from '../../../src/storage/sqlite/search-file.ts'
import { changeLog, listPage, type TestPlatform } from './fixtures.ts'
import { runSql } from './sql.ts'

/** Indexes all records. @returns the number of changes added to the text index. */
export async function indexAll({ searchIndex }: Storage, limit = 100): Promise<number> {
  await indexFields({ searchIndex }, limit)
  return repeat(searchIndex.indexTexts, limit)
}

/** Builds the indexes of fields. @returns the number of records that were read. */
export function indexFields(
  { searchIndex }: Pick<Storage, 'searchIndex'>,
  limit = 100,
): Promise<number> {
  return repeat(searchIndex.indexFields, limit)
}

/** Runs a query on the text index: a file of its own on SQLite, tables of the database on PostgreSQL. */
export async function queryTextIndex(
  storage: Storage,
  statement: string,
): Promise<Record<string, unknown>[]> {
  if ((await storage.readEngine()).engine === 'postgres') return runSql(storage, statement)
  using file = await openTextIndex(storage)
  return file.prepare(statement).all()
}

export async function countIndexedTexts(storage: Storage): Promise<number> {
  const [row] = await queryTextIndex(storage, 'SELECT count(*) AS n FROM record_search')
  return Number(row?.['n'])
}

/** The path of the text index of SQLite. */
export async function findTextIndex(storage: Storage): Promise<string> {
  const [row] = await runSql(storage, `SELECT file FROM pragma_database_list WHERE name = 'main'`)
  return searchFileOf(String(row?.['file']))
}

/** Opens the text index of SQLite. */
export async function openTextIndex(storage: Storage): Promise<DatabaseSync> {
  return new DatabaseSync(await findTextIndex(storage))
}

async function repeat(
  indexNext: (limit: number) => Promise<number>,
  limit: number,
): Promise<number> {
  for (let all = 0; ; ) {
    const indexed = await indexNext(limit)
    if (indexed === 0) return all
    all += indexed
    assert.ok(all < 100_000, 'The indexing does not end')
  }
}

export function setIndexedFields(
  storage: Storage,
  { platform_id }: Pick<TestPlatform, 'platform_id'>,
  keys: string[],
  record_type = 'students',
) {
  const choice = { platform_id, record_type, keys, at: '2026-03-10T08:00:00.000Z' }
  return storage.searchIndex.setIndexedFields(
    choice,
    changeLog('module.indexed_fields', 'module.indexed_fields'),
  )
}

/**
 * Lists all records that match a query page by page, forwards or backwards. The result has the order of the list.
 * `between` runs while each page is read.
 */
export async function listInPages(
  storage: Storage,
  { between, ...query }: Partial<RecordQuery> & { between?: () => Promise<void> },
  limit: number,
  backwards = false,
): Promise<RecordRow[]> {
  const pages: RecordRow[][] = []
  let after: Position | null = null
  for (let count = 0; ; count++) {
    assert.ok(count < 10_000, 'The pages do not end')
    const reading: Promise<RecordPage> = listPage(storage, { ...query, limit, after, backwards })
    const [page] = await Promise.all([reading, between?.()])
    assert.ok(page.records.length <= limit)
    pages.push(page.records)
    if (!page.has_more) return (backwards ? pages.reverse() : pages).flat()
    after = page.stopped_at ?? (backwards ? page.first : page.last)
    assert.ok(after)
  }
}

/** The expected result of a query, computed from all records. */
export function expectedList(all: RecordRow[], query: RecordQuery, kinds: FieldKinds): RecordRow[] {
  const matches = createMatcher(query, kinds)
  return all
    .filter(
      (row) =>
        (query.platform === null || row.platform_name === query.platform) &&
        (query.record_type === null || row.record_type === query.record_type) &&
        matches({ ...row, data: parseLossless(row.data) }),
    )
    .sort((one, other) => compareRows(one, other, query, kinds))
}

function compareRows(
  one: RecordRow,
  other: RecordRow,
  { sort, descending }: Pick<RecordQuery, 'sort' | 'descending'>,
  kinds: FieldKinds,
): number {
  const keyOf = (row: RecordRow) => {
    if (sort === 'relevance') assert.fail('The model has no relevance')
    if (!isDataColumn(sort)) return sort === 'updated_at' ? row.change_seq : row[sort]
    const isNumeric = isSortedAsNumber(kinds.get(sort))
    return sortKeyAt(parseLossless(row.data), pathOfColumn(sort), isNumeric)
  }
  const [left, right] = [keyOf(one), keyOf(other)]
  if (left === null && right !== null) return 1
  if (left !== null && right === null) return -1
  const order = typeof left === 'number' ? left - Number(right) : compareBytes(left, right)
  return (descending ? -1 : 1) * (order || one.record_id - other.record_id)
}

function compareBytes(one: unknown, other: unknown): number {
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
