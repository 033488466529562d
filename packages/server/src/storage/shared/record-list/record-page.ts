import type { RecordPage, RecordQuery } from '../../port/record-list-store.ts'
import { toRecordRow } from '../records/record-rows.ts'
import { fillPage, type Walk } from './record-scan.ts'

/** What was found, and among how many records it was looked for; null for all of the platform and module. */
export type Outcome = Walk & {
  among: number | null
  /** Whether all that match were counted. */
  isExact: boolean
}

export type ToCount = { isFiltered: boolean; countAll: () => Promise<number> }

/** The page that a list gives for what was found: one record more than it holds, where there are more. */
export async function toRecordPage(
  { limit, after, backwards }: RecordQuery,
  outcome: Outcome,
  toCount: ToCount,
): Promise<RecordPage> {
  const { found } = outcome
  const page = fillPage(found, limit)
  const isFull = found.length > page.length
  const stopped_at = isFull ? null : outcome.stopped_at
  const has_more = isFull || stopped_at !== null
  if (backwards) page.reverse()
  const isWhole = after === null && !has_more
  return {
    outcome: 'listed',
    records: page.map(({ row }) => toRecordRow(row)),
    first: page[0]?.position ?? null,
    last: page.at(-1)?.position ?? null,
    has_more,
    stopped_at,
    ...(isWhole
      ? { estimated_total: page.length, is_estimate: false }
      : await estimateTotal(outcome, toCount)),
  }
}

/** As many of all as there were among those that were looked at. */
async function estimateTotal(
  { found, examined, matched, among, isExact }: Outcome,
  { isFiltered, countAll }: ToCount,
): Promise<Pick<RecordPage, 'estimated_total' | 'is_estimate'>> {
  if (isExact) return { estimated_total: matched, is_estimate: false }
  const all = among ?? (await countAll())
  if (!isFiltered) return { estimated_total: all, is_estimate: false }
  const share = examined === 0 ? 0 : matched / examined
  return { estimated_total: Math.max(Math.round(all * share), found.length), is_estimate: true }
}
