/**
 * Lists of the activity. Lines have no index but their number (and that of warnings and errors), since each
 * push writes one: a filter goes back through them, in steps, until the page is full or the time is over.
 *
 * A million lines, on cores with a load of 10: a page, and warnings and errors, 1-30 ms; a filter that no line
 * passes 0.7-1.3 s on either engine; words that none holds 400,000 lines a second, so two seconds, then a cursor.
 */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { ActivityFilter, ActivityLines, ActivityStore } from '../../port/activity-store.ts'
import type { Executor } from '../schema/databases.ts'
import { findActivityBounds } from './activity-bounds.ts'
import { toActivityLine } from './activity-rows.ts'

/** Whether a column, its letters A to Z made small, holds a text. */
export type HoldsLower = (column: RawBuilder<string>, text: string) => RawBuilder<boolean>

const SCAN_MS = 2000
/** Of line numbers. A step grows where it is quick, so that gaps and rare lines cost little. */
const FIRST_STEP = 2000
const LARGEST_STEP = 1_000_000
/** What a step may take where others wait for the thread. */
const STEP_MS = 10

type Query = Parameters<ActivityStore['listActivity']>[0]

export async function listActivity(
  db: Executor,
  holdsLower: HoldsLower,
  query: Query,
): Promise<ActivityLines> {
  const until = performance.now() + (query.scan_ms ?? SCAN_MS)
  const { lowest, highest } = await findActivityBounds(db, query)
  const last = Math.min(highest, (query.before ?? Number.POSITIVE_INFINITY) - 1)
  const conditions = conditionsOf(query, holdsLower)
  const lines: ActivityLines['lines'] = []
  const wanted = query.limit + 1
  let size = conditions.length > 0 ? FIRST_STEP : LARGEST_STEP
  let top = last
  while (top >= lowest) {
    const began = performance.now()
    const bottom = Math.max(lowest, top - size + 1)
    const rows = await db
      .selectFrom('activity')
      .selectAll()
      .where('activity_id', '>=', bottom)
      .where('activity_id', '<=', top)
      .where((eb) => eb.and(conditions))
      .orderBy('activity_id', 'desc')
      .limit(wanted - lines.length)
      .execute()
    lines.push(...rows.map(toActivityLine))
    if (lines.length === wanted) {
      const page = lines.slice(0, query.limit)
      return { lines: page, next: page.at(-1)?.id ?? null, complete: true }
    }
    top = bottom - 1
    const now = performance.now()
    if (top >= lowest && now >= until) return { lines, next: top + 1, complete: false }
    size = now - began < STEP_MS ? Math.min(LARGEST_STEP, size * 2) : Math.max(1, size >> 1)
    await yieldToEventLoop()
  }
  return { lines, next: null, complete: true }
}

function conditionsOf(filter: ActivityFilter, holdsLower: HoldsLower): Expression<SqlBool>[] {
  const { platform, level, kind, record_id, words = [], since, until } = filter
  const conditions: Expression<SqlBool>[] = []
  const add = (condition: RawBuilder<boolean>) => void conditions.push(condition)
  if (platform) add(sql`platform_name = ${platform}`)
  if (level) add(sql`level = ${level}`)
  // As the index of these lines says it.
  if (level && level !== 'info') add(sql`level <> 'info'`)
  if (kind?.includes('.')) add(sql`kind = ${kind}`)
  else if (kind) add(sql`substr(kind, 1, ${sql.lit(kind.length + 1)}) = ${`${kind}.`}`)
  if (record_id) add(sql`record_id = ${record_id}`)
  if (since) add(sql`at >= ${since}`)
  if (until) add(sql`at <= ${until}`)
  const columns = ['message', 'actor', 'details'].map((name) => sql<string>`${sql.ref(name)}`)
  for (const word of words) {
    const lower = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const found = columns.map((column) => holdsLower(sql`coalesce(${column}, '')`, lower))
    add(sql`(${sql.join(found, sql` OR `)})`)
  }
  return conditions
}
