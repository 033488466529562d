/** The text index on PostgreSQL: trigrams of the extension pg_trgm, if it is installed. */
import { type RawBuilder, sql } from 'kysely'
import { PREFIX_MARK, type SearchTerms, toLookUpTexts } from '../../domain/search/search-text.ts'
import { HubError } from '../../errors.ts'
import type { RecordListDialect } from '../shared/record-list/record-scan.ts'
import type { Databases, Executor } from '../shared/schema/databases.ts'
import type { SearchIndexDialect } from '../shared/search/search-index.ts'
import { readCommitWatermark } from './commit-watermark.ts'
import { idList } from './dialect.ts'
import { tryAcquireLock } from './locks.ts'
import { codeOf } from './map-error.ts'
import { NAME_INDEX_LENGTH } from './migrations/0001-initial-schema.ts'
import { bigintArray, textArray } from './parameters.ts'

/** If a lookup takes longer, it finds so many records that scanning the list is faster. */
const LOOKUP_TIMEOUT_MS = 500
const MAX_PATTERNS = 8
/** Number of records sampled to test whether a text is frequent. In a smaller table, no text counts as frequent. */
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
      return orNullAfterTimeout(findByPatterns(database, patterns, limit))
    },
  }
}

export function createSearchIndexDialect({
  writer,
}: Pick<Databases, 'writer'>): SearchIndexDialect {
  return {
    readWatermark: () => readCommitWatermark(writer),
    runExclusively: (work) =>
      writer
        .transaction()
        .execute(async (db) => ((await tryAcquireLock(db, 'search index')) ? work(db) : null)),

    async saveTexts(db, texts) {
      if (texts.length === 0) return
      await sql`
        INSERT INTO record_search (platform_id, record_id, text)
        SELECT * FROM unnest(
          ${bigintArray(texts.map((text) => text.platform_id))}::bigint[],
          ${bigintArray(texts.map((text) => text.record_id))}::bigint[],
          ${textArray(texts.map(({ text }) => encodeForTrigrams(text)))}::text[])
        ON CONFLICT (platform_id, record_id) DO UPDATE SET text = excluded.text
      `.execute(db)
    },

    async saveValues(db, values) {
      if (values.length === 0) return
      await sql`
        INSERT INTO record_index AS i (platform_id, field_id, record_id, sort_key)
        SELECT * FROM unnest(
          ${bigintArray(values.map((value) => value.platform_id))}::bigint[],
          ${bigintArray(values.map((value) => value.field_id))}::bigint[],
          ${bigintArray(values.map((value) => value.record_id))}::bigint[],
          ${textArray(values.map((value) => value.sort_key))}::text[])
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
  const encoded = toLookUpTexts(terms).map(encodeForTrigrams).filter(hasTrigram)
  // The longest texts are the most selective.
  const longest = encoded.sort((one, other) => other.length - one.length).slice(0, MAX_PATTERNS)
  return longest.map(likePattern)
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
    // The planner cannot estimate how rare a text is, and would scan the table.
    await sql`SET LOCAL enable_seqscan = off`.execute(db)
    await sql`SET LOCAL statement_timeout = ${sql.lit(LOOKUP_TIMEOUT_MS)}`.execute(db)
    const { rows } = await sql<{ record_id: number }>`
      SELECT record_id FROM record_search WHERE ${all} LIMIT ${limit}
    `.execute(db)
    return rows.map((row) => row.record_id)
  }
  return database.transaction().execute(find)
}

/** Whether so many sampled records match that reading a page without the index is faster. */
async function isFrequent(db: Executor, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ sampled: number; matching: number }>`
    SELECT count(*)::int AS sampled, (count(*) FILTER (WHERE ${condition}))::int AS matching
    FROM (SELECT text FROM record_search LIMIT ${sql.lit(SAMPLE)}) AS sample
  `.execute(db)
  const [{ sampled, matching } = { sampled: 0, matching: 0 }] = rows
  return sampled === SAMPLE && matching > SAMPLE / 20
}

async function orNullAfterTimeout<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error instanceof HubError ? error.cause : error) === TIMED_OUT) return null
    throw error
  }
}

/**
 * Encodes a text for `pg_trgm`, which forms trigrams from the letters and digits of the locale of the database: only
 * ASCII in the locale C. Every other character becomes four ASCII letters or digits, whatever the locale. A
 * substring of a text is also a substring in this encoding.
 */
export function encodeForTrigrams(text: string): string {
  return (
    text
      .replaceAll(PREFIX_MARK, 'q')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
      .replace(/[^\u0000-\u007f]/gu, (letter) =>
        (letter.codePointAt(0) ?? 0).toString(36).padStart(4, '0'),
      )
  )
}

/** Whether an encoded text has a trigram, which the index needs for a lookup. */
export function hasTrigram(encoded: string): boolean {
  return /[0-9a-z]{3}/.test(encoded)
}

/** Returns a LIKE pattern for texts that contain an encoded text. */
export function likePattern(encoded: string): string {
  return `%${encoded.replace(/[\\%_]/g, '\\$&')}%`
}
