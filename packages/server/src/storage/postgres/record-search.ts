/** The index of texts on PostgreSQL: trigrams of the extension pg_trgm, where it is there. */
import { type RawBuilder, sql } from 'kysely'
import { type SearchTerms, toLookUpTexts } from '../../domain/search/search-text.ts'
import { HubError } from '../../errors.ts'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
import type { Databases, Executor } from '../shared/schema/databases.ts'
import type { SearchIndexDialect } from '../shared/search/search-index.ts'
import { bigintArray, textArray } from './array-parameters.ts'
import { settledSequence } from './commit-watermark.ts'
import { idList } from './id-list.ts'
import { tryHold } from './locks.ts'
import { codeOf } from './map-error.ts'
import { NAME_INDEX_LENGTH } from './migrations/0001-foundation.ts'
import { containing, hasTrigram, toIndexLetters } from './trigram-encoding.ts'

/** What takes longer finds so much that going through the list is the better way. */
const LOOK_UP_MS = 500
const MAX_PATTERNS = 8
/** Fewer records than these have no frequent texts. */
const SAMPLE = 200
const TIMED_OUT = '57014'

export function createRecordListDialect(database: Executor): RecordListDialect {
  const hasIndex = createHasTextIndex(database)
  return {
    nameIndexLength: NAME_INDEX_LENGTH,
    idList,
    contains: (column, text) => sql<boolean>`strpos(${column}, ${text}) > 0`,
    async findByText(terms, limit) {
      const patterns = patternsOf(terms)
      if (patterns.length === 0 || !(await hasIndex())) return null
      return inTime(findByPatterns(database, patterns, limit))
    },
  }
}

export function createSearchIndexDialect({
  writer,
}: Pick<Databases, 'writer'>): SearchIndexDialect {
  return {
    readWatermark: () => settledSequence(writer),
    runExclusively: (work) =>
      writer
        .transaction()
        .execute(async (db) => ((await tryHold(db, 'search index')) ? work(db) : null)),

    async saveTexts(db, texts) {
      if (texts.length === 0) return
      await sql`
        INSERT INTO record_search (platform_id, record_id, text)
        SELECT * FROM unnest(
          ${bigintArray(texts.map((one) => one.platform_id))}::bigint[],
          ${bigintArray(texts.map((one) => one.record_id))}::bigint[],
          ${textArray(texts.map((one) => toIndexLetters(one.text)))}::text[])
        ON CONFLICT (platform_id, record_id) DO UPDATE SET text = excluded.text
      `.execute(db)
    },

    async saveValues(db, values) {
      if (values.length === 0) return
      await sql`
        INSERT INTO record_index AS i (platform_id, field_id, record_id, sort_key)
        SELECT * FROM unnest(
          ${bigintArray(values.map((one) => one.platform_id))}::bigint[],
          ${bigintArray(values.map((one) => one.field_id))}::bigint[],
          ${bigintArray(values.map((one) => one.record_id))}::bigint[],
          ${textArray(values.map((one) => one.sort_key))}::text[])
        ON CONFLICT (platform_id, field_id, record_id) DO UPDATE SET sort_key = excluded.sort_key
          WHERE i.sort_key IS DISTINCT FROM excluded.sort_key
      `.execute(db)
    },

    hasTextIndex: createHasTextIndex(writer),
  }
}

function createHasTextIndex(database: Executor): () => Promise<boolean> {
  return async () => {
    const { rows } = await sql<{ has: boolean }>`
      SELECT to_regclass('record_search_text') IS NOT NULL AS has
    `.execute(database)
    return rows[0]?.has ?? false
  }
}

function patternsOf(terms: SearchTerms): string[] {
  const letters = toLookUpTexts(terms).map(toIndexLetters).filter(hasTrigram)
  // The longest ones find the least.
  const longest = letters.sort((one, other) => other.length - one.length).slice(0, MAX_PATTERNS)
  return longest.map(containing)
}

async function findByPatterns(
  database: Executor,
  patterns: string[],
  limit: number,
): Promise<number[] | null> {
  const find = async (db: Executor) => {
    const conditions = patterns.map((pattern) => sql`text LIKE ${pattern}`)
    const all = sql.join(conditions, sql` AND `)
    if (await isFrequent(db, all)) return null
    // The planner knows nothing of how rare a text is, and takes the whole table for the better way.
    await sql`SET LOCAL enable_seqscan = off`.execute(db)
    await sql`SET LOCAL statement_timeout = ${sql.lit(LOOK_UP_MS)}`.execute(db)
    const { rows } = await sql<{ record_id: number }>`
      SELECT record_id FROM record_search WHERE ${all} LIMIT ${limit}
    `.execute(db)
    return rows.map((row) => row.record_id)
  }
  return database.transaction().execute(find)
}

/** Whether some records hold it so often that a page is filled sooner without the index. */
async function isFrequent(db: Executor, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ seen: number; held: number }>`
    SELECT count(*)::int AS seen, (count(*) FILTER (WHERE ${condition}))::int AS held
    FROM (SELECT text FROM record_search LIMIT ${sql.lit(SAMPLE)}) AS sample
  `.execute(db)
  const [{ seen, held } = { seen: 0, held: 0 }] = rows
  return seen === SAMPLE && held > SAMPLE / 20
}

async function inTime<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error instanceof HubError ? error.cause : error) === TIMED_OUT) return null
    throw error
  }
}
