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
import { limitWork } from '../../../lib/time/work-limit.ts'
import type {
  ActivityEntries,
  ActivityFilter,
  ActivityStore,
  PushesOfMinute,
} from '../../port/activity-store.ts'
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

    async listAudit({ actor, action, actions, target, from, until, limit, before }) {
      let select = reader.selectFrom('audit').selectAll()
      if (actor !== null) select = select.where('actor', '=', actor)
      if (action !== null) select = select.where('action', '=', action)
      if (actions !== null) select = select.where('action', 'in', actions)
      if (target !== null) select = select.where('target', '=', target)
      if (from !== null) select = select.where('at', '>=', from)
      if (until !== null) select = select.where('at', '<=', until)
      if (before !== null) select = select.where('audit_id', '<', before)
      return (await select.orderBy('audit_id', 'desc').limit(limit).execute()).map(toAuditEntry)
    },

    listActivity: (query) => listActivity(reader, contains, query),

    countPushesByMinute: (query) => countPushesByMinute(reader, query),
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
  const { lowest, highest } = await findIdRange(db, query)
  const last = Math.min(highest, (query.before ?? Number.POSITIVE_INFINITY) - 1)
  const conditions = toConditions(query, contains)
  const entries: ActivityEntries['entries'] = []
  const needed = query.limit + 1
  const scan = {
    ...{ lowest, highest: last, scanMs: query.scan_ms ?? SCAN_MS },
    firstStep: conditions.length > 0 ? FIRST_STEP : MAX_STEP,
  }
  const unread = await scanBackwards(scan, async (bottom, top) => {
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
    return entries.length === needed
  })
  if (entries.length === needed) {
    const page = entries.slice(0, query.limit)
    return { entries: page, next: page.at(-1)?.id ?? null, complete: true }
  }
  return { entries, next: unread && unread + 1, complete: unread === null }
}

/**
 * Reads a range of ids backwards in steps, between which other work runs, until `readStep` returns true.
 * @returns the highest id that the time limit left unread; null if there is none.
 */
async function scanBackwards(
  range: { lowest: number; highest: number; scanMs: number; firstStep?: number },
  readStep: (bottom: number, top: number) => Promise<boolean>,
): Promise<number | null> {
  const time = limitWork(range.scanMs)
  let step = range.firstStep ?? FIRST_STEP
  let top = range.highest
  while (top >= range.lowest) {
    const began = performance.now()
    const bottom = Math.max(range.lowest, top - step + 1)
    if (await readStep(bottom, top)) return null
    top = bottom - 1
    if (top >= range.lowest && time.isOver()) return top
    step =
      performance.now() - began < STEP_MS ? Math.min(MAX_STEP, step * 2) : Math.max(1, step >> 1)
    await yieldToEventLoop()
  }
  return null
}

/** The minute of an entry: `2026-11-21T07:05`. */
const MINUTE = sql<string>`substr(at, 1, 16)`
const IS_REJECTED = sql<boolean>`kind = 'push.rejected'`
const IS_PUSH = sql<boolean>`substr(kind, 1, 5) = 'push.'`

async function countPushesByMinute(
  db: Executor,
  { since, scan_ms = SCAN_MS }: { since: string; scan_ms?: number },
): ReturnType<ActivityStore['countPushesByMinute']> {
  const range = await findIdRange(db, { since })
  const minutes = new Map<string, PushesOfMinute>()
  const unread = await scanBackwards({ ...range, scanMs: scan_ms }, async (bottom, top) => {
    const rows = await db
      .selectFrom('activity')
      .select((eb) => [
        MINUTE.as('minute'),
        eb.fn.count<number>(sql`CASE WHEN ${IS_PUSH} THEN 1 END`).as('pushes'),
        eb.fn.count<number>(sql`CASE WHEN ${IS_REJECTED} THEN 1 END`).as('rejected'),
      ])
      .where('activity_id', '>=', bottom)
      .where('activity_id', '<=', top)
      .groupBy(MINUTE)
      .execute()
    for (const { minute, ...row } of rows) {
      const rejected = Number(row.rejected)
      const known = minutes.get(minute) ?? { minute, accepted: 0, rejected: 0 }
      known.accepted += Number(row.pushes) - rejected
      known.rejected += rejected
      minutes.set(minute, known)
    }
    return false
  })
  const first = since.slice(0, 16)
  const oldest = [...minutes.keys()].reduce(
    (one, other) => (other < one ? other : one),
    LAST_MINUTE,
  )
  // Without an older entry, earlier ones may be unread, or deleted already. Ids begin at 1.
  const isComplete = oldest < first || (unread === null && range.lowest === 1)
  const from = isComplete ? first : nextMinute(oldest)
  return { from, minutes: [...minutes.values()].filter(({ minute }) => minute >= from) }
}

const LAST_MINUTE = '9999-12-31T23:59'

function nextMinute(minute: string): string {
  return new Date(Date.parse(`${minute}:00.000Z`) + 60_000).toISOString().slice(0, 16)
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
