/** The records of the hub that match a search best. */
import { BY_RELEVANCE, type RecordPage, type SearchedRecord } from '@recordhub/protocol'
import { createRanking, SEARCH_RANKS } from '../../domain/search/search-matches.ts'
import { parseSearch } from '../../domain/search/search-text.ts'
import { HubError } from '../../errors.ts'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { addMatches, type ListDeps, listRecords } from './list-records.ts'

/** For searches of which an index finds too many records to rank them all. */
const RANKING_MS = 300

type FoundRecords = Pick<
  RecordPage,
  'estimated_total' | 'total_is_estimate' | 'complete' | 'search_lag'
> & { records: SearchedRecord[] }

/** The text, and the module or platform of the records. */
export type RecordSearch = { q: string; record_type?: string; platform?: string }

export async function searchRecords(
  deps: ListDeps,
  search: RecordSearch,
  limit: number,
): Promise<FoundRecords> {
  const page = await readBest(deps, search, limit)
  const terms = parseSearch(search.q)
  const rankOf = createRanking(terms)
  const matched = await addMatches(page.records, terms)
  const records = matched.map((record) => ({
    ...record,
    rank: SEARCH_RANKS[rankOf(record)] ?? 'words',
  }))
  const { estimated_total, total_is_estimate, complete, search_lag } = page
  return { records, estimated_total, total_is_estimate, complete, search_lag }
}

async function readBest(deps: ListDeps, search: RecordSearch, limit: number): Promise<RecordPage> {
  try {
    const parameters = { ...search, sort: BY_RELEVANCE }
    return await listRecords(deps, { parameters, limit, scan_ms: RANKING_MS })
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'sort_too_slow') throw error
    return readBeginnings(deps, search, limit)
  }
}

/** Reads the records whose name or reference begins with a frequent search, then the last changed ones. */
async function readBeginnings(
  deps: ListDeps,
  search: RecordSearch,
  limit: number,
): Promise<RecordPage> {
  const { q } = search
  const found: RecordPage[] = []
  for (const beginning of writingsOf(q)) {
    for (const column of ['hub_full_name', 'hub_reference_number']) {
      const parameters = { ...search, [`filter[${column}][starts]`]: beginning }
      found.push(await listRecords(deps, { parameters, limit, scan_ms: RANKING_MS }))
    }
  }
  const last = await listRecords(deps, { parameters: search, limit })
  const rankOf = createRanking(parseSearch(q))
  const all = [...found, last].flatMap(({ records }) => records)
  const records = [...new Map(all.map((record) => [record.record_id, record])).values()]
    .sort(
      (one, other) =>
        rankOf(one) - rankOf(other) || compareCodePoints(other.updated_at, one.updated_at),
    )
    .slice(0, limit)
  return { ...last, records }
}

/** The usual ways to write a name, since the index of names distinguishes case. */
function writingsOf(q: string): Set<string> {
  const text = q.trim().replaceAll('"', '')
  const lower = text.toLowerCase()
  const capitalised = lower.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
  return new Set([text, lower, capitalised, text.toUpperCase()])
}
