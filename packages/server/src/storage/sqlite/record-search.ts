/** The index of texts on SQLite: FTS5 with trigrams, whose rowid is the record's id. */
import { sql } from 'kysely'
import { type SearchTerms, toLookUpTexts } from '../../domain/search/search-text.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
import type { Executor } from '../shared/schema/databases.ts'
import type { SearchIndexDialect } from '../shared/search/search-index.ts'
import type { SqliteConnections } from './connection.ts'
import { idList } from './id-list.ts'

/** Enough to single records out, and few enough to be looked up quickly. */
const MAX_TRIGRAMS = 24
/**
 * Of the index, merged with each step. 400,000 records in steps of 100: a step takes 3 ms, at most 8; by
 * FTS5's own merging 1 ms, and at most 45.
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

/** Each trigram as a string of FTS5: the index knows where none of them stands. */
function matchOf(terms: SearchTerms): string {
  const trigrams = new Set<string>()
  for (const text of toLookUpTexts(terms)) {
    const letters = [...text]
    for (let at = 0; at + 3 <= letters.length; at++) {
      trigrams.add(letters.slice(at, at + 3).join(''))
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
 * Writes the index of texts anew, step by step, without what was dropped from it: until then the trigrams of a
 * dropped text stand in it beside the number of their record. 3 ms for 1,000 records, pushes wait for one step.
 */
export async function forgetDroppedTexts({
  database,
  exclusively,
}: Pick<SqliteConnections, 'database' | 'exclusively'>): Promise<void> {
  const merge = database.prepare(
    `INSERT INTO record_search (record_search, rank) VALUES ('merge', ?)`,
  )
  const countChanges = database.prepare('SELECT total_changes() AS n')
  const changesOf = () => Number(countChanges.get()?.['n'])
  /**
   * A positive number goes on with what was begun, a negative one begins with all there is; fewer than two
   * changes say that there was nothing to do.
   */
  const step = (pages: number) =>
    exclusively(() => {
      const before = changesOf()
      merge.run(pages)
      return changesOf() - before >= 2
    })
  const goOn = async () => {
    while (await step(MERGED_PAGES)) await yieldToEventLoop()
  }
  // What is being merged may hold a text already that was dropped since, and would end with it.
  await goOn()
  await step(-MERGED_PAGES)
  await goOn()
}

export function createSearchIndexDialect({
  database,
  lightly,
}: SqliteConnections): SearchIndexDialect {
  const saveText = database.prepare(
    'INSERT OR REPLACE INTO record_search (rowid, text) VALUES (?, ?)',
  )
  const mergeSome = database.prepare(
    `INSERT INTO record_search (record_search, rank) VALUES ('merge', ${MERGED_PAGES})`,
  )
  const saveValue = database.prepare(
    `INSERT INTO record_index (platform_id, field_id, record_id, sort_key) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET sort_key = excluded.sort_key
       WHERE sort_key IS NOT excluded.sort_key`,
  )
  return {
    // One connection writes, so whatever it sees is committed.
    readWatermark: async () => Number.MAX_SAFE_INTEGER,
    // What a power cut takes is indexed again, since the place in the sequence goes with it.
    runExclusively: lightly,
    // On the connection whose transaction it is.
    async saveTexts(_, texts) {
      for (const { record_id, text } of texts) saveText.run(record_id, text)
      mergeSome.run()
    },
    async saveValues(_, values) {
      for (const { platform_id, field_id, record_id, sort_key } of values) {
        saveValue.run(platform_id, field_id, record_id, sort_key)
      }
    },
    hasTextIndex: async () => true,
  }
}
