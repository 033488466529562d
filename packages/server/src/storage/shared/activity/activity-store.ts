/**
 * The activity and the audit log. Activity entries have no index except on their ids (and on warnings and errors), since
 * each push writes one. A filtered list reads backwards in steps until the page is full or the time limit is reached.
 *
 * With a million entries, on cores with a load of 10: a page, or warnings and errors, take 1-30 ms; a filter without a
 * match takes 0.7-1.3 s on either engine; a search without a match reads 400,000 entries per second, for two seconds,
 * and returns a cursor.
 */
import type { AuditEntry } from '@recordhub/protocol'
import { type Expression, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { ActivityEntries, ActivityFilter, ActivityStore } from '../../port/activity-store.ts'
import {
  type Databases,
  type Executor,
  nowText,
  searchTime,
  TIME_MARGIN_MS,
} from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'
import { insertActivity, insertAudit, toActivityEntry } from './activity-rows.ts'

/** Returns the engine's condition for a column that contains a lower-case text, ignoring the case of A to Z. */
export type ContainsIgnoringCase = (column: RawBuilder<string>, text: string) => RawBuilder<boolean>

export function createActivityStore(
  { reader, writer, clock }: Databases,
  contains: ContainsIgnoringCase,
): ActivityStore {
  return {
    appendActivity: (entry) => insertActivity(writer, nowText(clock), entry),
    appendAudit: (entry) => insertAudit(writer, nowText(clock), entry),

    async listAudit({ actor, action, target, from, until, limit, before }) {
      let select = reader.selectFrom('audit').selectAll()
      if (actor !== null) select = select.where('actor', '=', actor)
      if (action !== null) select = select.where('action', '=', action)
      if (target !== null) select = select.where('target', '=', target)
      if (from !== null) select = select.where('at', '>=', from)
      if (until !== null) select = select.where('at', '<=', until)
      if (before !== null) select = select.where('audit_id', '<', before)
      return (await select.orderBy('audit_id', 'desc').limit(limit).execute()).map(toAuditEntry)
    },

    listActivity: (query) => listActivity(reader, contains, query),
  }
}

function toAuditEntry({ audit_id, details, ...entry }: Selectable<Tables['audit']>): AuditEntry {
  return { id: audit_id, ...entry, details: JSON.parse(details) }
}

const SCAN_MS = 2000
/** Ids per step. A fast step doubles the size of the next one, so that gaps and rare matches cost little. */
const FIRST_STEP = 2000
const MAX_STEP = 1_000_000
/** Target duration of a step, since other work waits for the thread. */
const STEP_MS = 10

type Query = Parameters<ActivityStore['listActivity']>[0]

async function listActivity(
  db: Executor,
  contains: ContainsIgnoringCase,
  query: Query,
): Promise<ActivityEntries> {
  const deadline = performance.now() + (query.scan_ms ?? SCAN_MS)
  const { lowest, highest } = await findIdRange(db, query)
  const last = Math.min(highest, (query.before ?? Number.POSITIVE_INFINITY) - 1)
  const conditions = toConditions(query, contains)
  const entries: ActivityEntries['entries'] = []
  const needed = query.limit + 1
  let step = conditions.length > 0 ? FIRST_STEP : MAX_STEP
  let top = last
  while (top >= lowest) {
    const began = performance.now()
    const bottom = Math.max(lowest, top - step + 1)
    const rows = await db
      .selectFrom('activity')
      .selectAll()
      .where('activity_id', '>=', bottom)
      .where('activity_id', '<=', top)
      .where((eb) => eb.and(conditions))
      .orderBy('activity_id', 'desc')
      .limit(needed - entries.length)
      .execute()
    entries.push(...rows.map(toActivityEntry))
    if (entries.length === needed) {
      const page = entries.slice(0, query.limit)
      return { entries: page, next: page.at(-1)?.id ?? null, complete: true }
    }
    top = bottom - 1
    const now = performance.now()
    if (top >= lowest && now >= deadline) return { entries, next: top + 1, complete: false }
    step = now - began < STEP_MS ? Math.min(MAX_STEP, step * 2) : Math.max(1, step >> 1)
    await yieldToEventLoop()
  }
  return { entries, next: null, complete: true }
}

function toConditions(
  filter: ActivityFilter,
  contains: ContainsIgnoringCase,
): Expression<SqlBool>[] {
  const { platform, level, kind, record_id, by, terms = [], since, until } = filter
  const conditions: Expression<SqlBool>[] = []
  const add = (condition: RawBuilder<boolean>) => void conditions.push(condition)
  // Entries before the platform was renamed have its former name.
  if (platform) {
    add(sql`(platform_name = ${platform}
      OR platform_id = (SELECT p.platform_id FROM platforms p WHERE p.platform_name = ${platform}))`)
  }
  if (level) add(sql`level = ${level}`)
  // The condition of the partial index on warnings and errors.
  if (level && level !== 'info') add(sql`level <> 'info'`)
  if (kind?.includes('.')) add(sql`kind = ${kind}`)
  else if (kind) add(sql`substr(kind, 1, ${sql.lit(kind.length + 1)}) = ${`${kind}.`}`)
  if (record_id) add(sql`record_id = ${record_id}`)
  if (by === 'operator') add(sql`actor IS NOT NULL`)
  if (since) add(sql`at >= ${since}`)
  if (until) add(sql`at <= ${until}`)
  const columns = ['message', 'actor', 'details'].map((name) => sql<string>`${sql.ref(name)}`)
  for (const term of terms) {
    const lower = term.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const found = columns.map((column) => contains(sql`coalesce(${column}, '')`, lower))
    add(sql`(${sql.join(found, sql` OR `)})`)
  }
  return conditions
}

/**
 * Returns a range of ids, both included, that contains every entry of a period. Timestamps rise with the ids, so a binary
 * search finds the range. `highest` is below `lowest` if there are no entries.
 */
async function findIdRange(
  db: Executor,
  period: { since?: string | null; until?: string | null },
): Promise<{ lowest: number; highest: number }> {
  const ends = await db
    .selectFrom('activity')
    .select((eb) => [
      eb
        .selectFrom('activity as first')
        .select('first.activity_id')
        .orderBy('first.activity_id')
        .limit(1)
        .as('lowest'),
      'activity_id as highest',
    ])
    .orderBy('activity_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!ends) return { lowest: 1, highest: 0 }
  const all = { lowest: Number(ends.lowest), highest: ends.highest }
  const { since, until } = period
  const range = { before: all.lowest - 1, from: all.highest }
  const findFrom = (id: number) =>
    db
      .selectFrom('activity')
      .select(['activity_id as id', 'at'])
      .where('activity_id', '>=', id)
      .orderBy('activity_id')
      .limit(1)
      .executeTakeFirst()
  const { before } = since
    ? await searchTime(findFrom, range, shift(since, -TIME_MARGIN_MS))
    : { before: 0 }
  const { from } = until ? await searchTime(findFrom, range, shift(until, TIME_MARGIN_MS)) : range
  return { lowest: Math.max(all.lowest, before), highest: from }
}

/** Timestamps sort as text, so years have four digits. */
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

function shift(time: string, ms: number): string {
  return new Date(Math.min(Date.parse(time) + ms, LATEST)).toISOString()
}
