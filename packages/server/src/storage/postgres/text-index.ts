/** The text index on PostgreSQL: the tokens of each record as a tsvector without positions, with a GIN index. */
import { sql } from 'kysely'
import type { SearchTerms } from '../../domain/search/search-text.ts'
import {
  searchTokens,
  type TermTokens,
  type TokenPattern,
} from '../../domain/search/search-tokens.ts'
import { createRecordTokenizer } from '../../domain/search/token-bytes.ts'
import { HubError } from '../../errors.ts'
import { IN_LIST_INDEX } from '../shared/records/record-rows.ts'
import { createRequestThread, type RequestThread } from '../shared/request-thread.ts'
import type { Databases, Executor } from '../shared/schema/databases.ts'
import { readFeedPosition, saveFeedPosition } from '../shared/search/field-index.ts'
import { endAfterLargeWork } from '../shared/search/index-thread.ts'
import type { TextIndexStore } from '../shared/search/search-index.ts'
import { readCommitWatermark } from './commit-watermark.ts'
import { analyzeGrownTables } from './dialect.ts'
import { acquireLock, tryAcquireLock } from './locks.ts'
import { codeOf } from './map-error.ts'
import { bigintArray, textArray } from './parameters.ts'

const MAX_STEP_BYTES = 32_000_000
/** A lookup that takes longer finds so many records that scanning the list is faster. */
const LOOKUP_TIMEOUT_MS = 500
/** Records that are sampled to find out whether a search finds many. In a smaller table no search does. */
const SAMPLE = 200
/**
 * Records after which their entries are merged into the index once it has caught up. A search scans the other entries;
 * merging many at once takes less time per record.
 */
const MERGE_AFTER = 1000
const TIMED_OUT = '57014'

/**
 * The text index whose tokens are made on a thread, with a connection of its own, as `url` describes it. The thread starts
 * when there is something to index.
 */
export function createSearchThread(
  databases: Pick<Databases, 'writer'>,
  { url, warn }: { url: string; warn: (message: string) => void },
): { texts: TextIndexStore; thread: RequestThread<number, number> } {
  const { writer } = databases
  const index = createTextIndex(databases)
  const thread = createRequestThread<number, number>(
    new URL('./text-worker.ts', import.meta.url),
    // Computing tokens allocates much memory; a small young generation is collected early.
    { workerData: { url }, resourceLimits: { maxYoungGenerationSizeMb: 8 }, warn },
  )
  /** Whether the last step had nothing to index or to merge. */
  let isSettled = true
  const indexNext = endAfterLargeWork(thread, async (limit) => {
    const isComplete = (await index.readPosition()) >= (await readCommitWatermark(writer))
    if (isComplete && isSettled) return 0
    const indexed = await thread.request(limit)
    isSettled = indexed === 0
    return indexed
  })
  return { texts: { ...index, indexNext }, thread }
}

/**
 * Makes the tokens on the calling thread.
 * @param maxStepBytes the data of a step; the last record may exceed it.
 */
export function createTextIndex(
  { writer }: Pick<Databases, 'writer'>,
  maxStepBytes = MAX_STEP_BYTES,
): TextIndexStore {
  // An earlier thread may have left entries.
  let unmerged = MERGE_AFTER
  return {
    async indexNext(limit) {
      const indexed = await writer
        .transaction()
        .execute(async (db) =>
          (await tryAcquireLock(db, 'text index')) ? index(db, { limit, maxStepBytes }) : 0,
        )
      unmerged += indexed
      if (indexed < limit && unmerged >= MERGE_AFTER) {
        await sql`SELECT gin_clean_pending_list('record_search_tokens')`.execute(writer)
        await analyzeGrownTables(writer)
        unmerged = 0
      }
      return indexed
    },

    readPosition: () => readFeedPosition(writer, 'texts'),

    rebuild: () =>
      writer.transaction().execute(async (db) => {
        await acquireLock(db, 'text index')
        await sql`TRUNCATE record_search`.execute(db)
        await saveFeedPosition(db, 'texts', 0)
      }),
  }
}

const tokenize = createRecordTokenizer()

type StepLimits = { limit: number; maxStepBytes: number }

/** @returns as `SearchIndexStore.indexTexts`. */
async function index(db: Executor, limits: StepLimits): Promise<number> {
  const records = await readChanges(db, limits)
  const last = records.at(-1)
  if (!last) return 0
  const tokens = records.map(({ data, ...names }) =>
    Buffer.from(tokenize({ ...names, data: Buffer.from(data) })),
  )
  // An INSERT that fills the list of new entries merges them, in memory of this size (decision 17).
  await sql`SET LOCAL work_mem = '64MB'`.execute(db)
  await sql`
    INSERT INTO record_search (platform_id, record_id, tokens)
    SELECT platform_id, record_id, array_to_tsvector(array_remove(string_to_array(tokens, ' '), ''))
    FROM unnest(
      ${bigintArray(records.map((one) => one.platform_id))}::bigint[],
      ${bigintArray(records.map((one) => one.record_id))}::bigint[],
      ${textArray(tokens)}::text[]
    ) AS added (platform_id, record_id, tokens)
    ON CONFLICT (platform_id, record_id) DO UPDATE SET tokens = excluded.tokens
  `.execute(db)
  await saveFeedPosition(db, 'texts', last.change_seq)
  return Number(last.size) < limits.maxStepBytes ? records.length : limits.limit
}

async function readChanges(db: Executor, { limit, maxStepBytes }: StepLimits) {
  const watermark = await readCommitWatermark(db)
  const changes = db
    .selectFrom('records')
    .select(['record_id', 'platform_id', 'reference_number', 'full_name', 'data', 'change_seq'])
    .select(sql<number>`sum(octet_length(data)) OVER (ORDER BY change_seq)`.as('size'))
    .where(IN_LIST_INDEX)
    .where('change_seq', '>', await readFeedPosition(db, 'texts'))
    .where('change_seq', '<=', watermark)
    .orderBy('change_seq')
    .limit(limit)
  return db
    .selectFrom(changes.as('c'))
    .selectAll()
    .where(sql<boolean>`size - octet_length(data) < ${sql.lit(maxStepBytes)}`)
    .orderBy('change_seq')
    .execute()
}

/** As `RecordListDialect.findByText`. */
export async function findByText(
  database: Executor,
  terms: SearchTerms,
  limit: number,
): Promise<number[] | null> {
  const tokens = searchTokens(terms)
  if (tokens.length === 0) return null
  const find = async (db: Executor) => {
    const selective = await selectTerms(db, tokens)
    if (!selective) return null
    // The planner cannot estimate how rare a prefix is, and would scan the table.
    await sql`SET LOCAL enable_seqscan = off`.execute(db)
    await sql`SET LOCAL statement_timeout = ${sql.lit(LOOKUP_TIMEOUT_MS)}`.execute(db)
    const { rows } = await sql<{ record_id: number }>`
      SELECT record_id FROM record_search WHERE ${isMatch(selective)} LIMIT ${limit}
    `.execute(db)
    return rows.map((row) => row.record_id)
  }
  return orNullAfterTimeout(database.transaction().execute(find))
}

/**
 * Returns the terms to look up; null if so many sampled records match that a page is filled faster without the index. A
 * term of most records is left out: it hardly excludes any, and takes 35 ms per million records.
 */
async function selectTerms(db: Executor, terms: TermTokens[]): Promise<TermTokens[] | null> {
  const counts = terms.map((term) => sql`count(*) FILTER (WHERE ${isMatch([term])})`)
  const { rows } = await sql<{ sampled: number; matching: number; counts: number[] }>`
    SELECT count(*)::int AS sampled, (count(*) FILTER (WHERE ${isMatch(terms)}))::int AS matching,
      ARRAY[${sql.join(counts)}]::int[] AS counts
    FROM (SELECT tokens FROM record_search LIMIT ${sql.lit(SAMPLE)}) AS sample
  `.execute(db)
  const [sample] = rows
  if (sample?.sampled !== SAMPLE) return terms
  if (sample.matching > SAMPLE / 20) return null
  const selective = terms.filter((_, at) => (sample.counts[at] ?? 0) <= SAMPLE / 2)
  return selective.length > 0 ? selective : terms
}

const isMatch = (terms: TermTokens[]) => sql`tokens @@ ${toQuery(terms)}::tsquery`

async function orNullAfterTimeout<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error instanceof HubError ? error.cause : error) === TIMED_OUT) return null
    throw error
  }
}

/** The text of a tsquery (https://www.postgresql.org/docs/current/datatype-textsearch.html). */
export function toQuery(terms: TermTokens[]): string {
  return terms.map((alternatives) => `(${alternatives.map(allOf).join(' | ')})`).join(' & ')
}

function allOf(patterns: TokenPattern[]): string {
  const lexemes = patterns.map(
    ({ token, isPrefix }) => `'${token.replace(/['\\]/g, '$&$&')}'${isPrefix ? ':*' : ''}`,
  )
  return `(${lexemes.join(' & ')})`
}
