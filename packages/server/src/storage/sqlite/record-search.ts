/** The text index on SQLite: FTS5 with trigrams. The rowid is the id of the record. */
import { sql } from 'kysely'
import { type SearchTerms, toLookUpTexts } from '../../domain/search/search-text.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
import type { Executor } from '../shared/schema/databases.ts'
import type { SearchIndexDialect } from '../shared/search/search-index.ts'
import type { SqliteConnections } from './connection.ts'
import { idList } from './dialect.ts'

/** Trigrams per query: enough to be selective, and few enough for a fast lookup. */
const MAX_TRIGRAMS = 24
/**
 * Index pages that each step merges. With 400,000 records in steps of 100, a step takes 3 ms and at most 8 ms; with
 * FTS5's automatic merging it takes 1 ms and at most 45 ms.
 */
const MERGED_PAGES = 16

export function createRecordListDialect(reader: Executor): RecordListDialect {
  return {
    nameIndexLength: null,
    idList,
    contains: (column, text) => sql<boolean>`instr(${column}, ${text}) > 0`,
    async findByText(terms, limit) {
      const { rows } = await sql<{ record_id: number }>`
        SELECT rowid AS record_id FROM record_search
        WHERE record_search MATCH ${matchOf(terms)} LIMIT ${limit}
      `.execute(reader)
      return rows.map((row) => row.record_id)
    },
  }
}

/** A MATCH expression that requires each trigram; the index stores no positions. */
function matchOf(terms: SearchTerms): string {
  const trigrams = new Set<string>()
  for (const text of toLookUpTexts(terms)) {
    const characters = [...text]
    for (let at = 0; at + 3 <= characters.length; at++) {
      trigrams.add(characters.slice(at, at + 3).join(''))
    }
  }
  const all = [...trigrams]
  const every = Math.ceil(all.length / MAX_TRIGRAMS)
  return all
    .filter((_, index) => index % every === 0)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(' AND ')
}

/**
 * Rewrites the text index without deleted texts, step by step. Until then it contains the trigrams of a deleted text
 * with the id of the record. Takes 3 ms for 1,000 records; pushes wait for one step.
 */
export async function rewriteTextIndex({
  database,
  withWriteLock,
}: Pick<SqliteConnections, 'database' | 'withWriteLock'>): Promise<void> {
  const merge = database.prepare(
    `INSERT INTO record_search (record_search, rank) VALUES ('merge', ?)`,
  )
  const countChanges = database.prepare('SELECT total_changes() AS n')
  const changesOf = () => Number(countChanges.get()?.['n'])
  /**
   * Runs FTS5's `merge` command: a positive number continues a merge, a negative one starts to merge the whole index.
   * Returns whether it has merged anything: less than two changes mean that it has not.
   */
  const step = (pages: number) =>
    withWriteLock(() => {
      const before = changesOf()
      merge.run(pages)
      return changesOf() - before >= 2
    })
  const continueMerge = async () => {
    while (await step(MERGED_PAGES)) await yieldToEventLoop()
  }
  // A merge in progress may already have copied a text that has been deleted since, so it is completed first.
  await continueMerge()
  await step(-MERGED_PAGES)
  await continueMerge()
}

export function createSearchIndexDialect({
  database,
  withoutFsync,
}: SqliteConnections): SearchIndexDialect {
  const saveText = database.prepare(
    'INSERT OR REPLACE INTO record_search (rowid, text) VALUES (?, ?)',
  )
  const mergeStep = database.prepare(
    `INSERT INTO record_search (record_search, rank) VALUES ('merge', ${MERGED_PAGES})`,
  )
  const saveValue = database.prepare(
    `INSERT INTO record_index (platform_id, field_id, record_id, sort_key) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET sort_key = excluded.sort_key
       WHERE sort_key IS NOT excluded.sort_key`,
  )
  return {
    // Only this connection writes, so there are no writes in flight.
    readWatermark: async () => Number.MAX_SAFE_INTEGER,
    // A power failure undoes the position together with the entries, so the records are indexed again.
    runExclusively: withoutFsync,
    // The statements run on the connection of the transaction, which is the only writing one.
    async saveTexts(_, texts) {
      for (const { record_id, text } of texts) saveText.run(record_id, text)
      mergeStep.run()
    },
    async saveValues(_, values) {
      for (const { platform_id, field_id, record_id, sort_key } of values) {
        saveValue.run(platform_id, field_id, record_id, sort_key)
      }
    },
    hasTextIndex: async () => true,
  }
}
