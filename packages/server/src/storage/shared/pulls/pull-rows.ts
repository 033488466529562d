import { PULL_TASK_STATES, type Pull, type PullCounts, type PullTask } from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { sql } from 'kysely'
import { estimateProgress } from '../../../domain/pull/pull.ts'
import { withFirstReference } from '../../../domain/record/rejection-reasons.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { PullFilter, PullStore } from '../../port/pull-store.ts'
import { distinctTitle, distinctTitleSql } from '../platforms/platform-rows.ts'
import { wasRejectedBy } from '../rejected-pushes/rejection-groups.ts'
import { selectRevertedPulls } from '../reverts/revert-rows.ts'
import type { Executor } from '../schema/databases.ts'
import { HAS_OUTCOME } from '../schema/pull-tables.ts'

/**
 * The number of records that a task is expected to receive: the received number if it has ended, otherwise the total of
 * the platform, otherwise the number of records of the module in the hub; null if none is known.
 */
const EXPECTED = sql<number | null>`CASE
  WHEN t.finished_at IS NOT NULL THEN t.received ELSE coalesce(t.total, t.expected) END`
/** The number of received records, at most the expected number. */
const DONE = sql<number | null>`CASE
  WHEN t.finished_at IS NOT NULL OR t.received <= coalesce(t.total, t.expected)
  THEN t.received ELSE coalesce(t.total, t.expected) END`
const WITHOUT_EXPECTED = sql<number>`CASE
  WHEN t.finished_at IS NULL AND coalesce(t.total, t.expected) IS NULL THEN t.received ELSE 0 END`
const IS_RUNNING = sql<boolean>`t.started_at IS NOT NULL AND t.finished_at IS NULL`

/** Since when a task of the unfinished pull has waited longest, and the title of its platform after a space. */
const LONGEST_WAIT = sql<string | null>`CASE WHEN p.finished_at IS NULL THEN (
  SELECT w.waiting_since || ' ' || (${distinctTitle('platforms')}) FROM pull_tasks w
  JOIN platforms ON platforms.platform_id = w.platform_id
  WHERE w.pull_id = p.pull_id AND w.waiting_since IS NOT NULL
  ORDER BY w.waiting_since LIMIT 1) END`

/** A column of the first task that failed in an ended pull, or of its platform. */
const ofFirstFailure = (column: string) => sql<string | null>`CASE
  WHEN p.state IN ('partial', 'failed', 'timed_out') THEN (
  SELECT ${sql.raw(column)} FROM pull_tasks w JOIN platforms ON platforms.platform_id = w.platform_id
  WHERE w.pull_id = p.pull_id AND w.state IN ('failed', 'timed_out')
  ORDER BY w.task_number LIMIT 1) END`

/** The counts of a task. */
export const COUNT_NAMES = [
  'received',
  'created',
  'updated',
  'unchanged',
  'stale',
  'held',
  'rejected',
  'accepted',
  'missing',
  'not_listed',
] as const

/** Selects pulls with the sums of their tasks. */
export function selectPulls(db: Executor) {
  return db
    .selectFrom('pulls as p')
    .leftJoin('pull_tasks as t', 't.pull_id', 'p.pull_id')
    .leftJoin('operators as o', 'o.email', 'p.requested_by')
    .select((eb) => [
      'p.pull_id',
      'p.trigger',
      'p.state',
      'p.requested_at',
      'p.started_at',
      'p.finished_at',
      eb.fn.coalesce('o.name', 'p.requested_by').as('started_by'),
      eb.fn.count<number>('t.task_number').as('tasks_total'),
      eb.fn.count<number>('t.finished_at').as('tasks_done'),
      eb.fn.count<number>('t.total').as('totals_known'),
      eb.fn.count<number>(EXPECTED).as('expected_known'),
      eb.fn.sum<number | null>(EXPECTED).as('expected_total'),
      eb.fn.sum<number | null>(DONE).as('expected_done'),
      eb.fn.sum<number | null>(WITHOUT_EXPECTED).as('received_without_expected'),
      eb.fn.sum<number | null>('t.total').as('records_total'),
      eb.fn
        .sum<number | null>(sql`CASE WHEN ${IS_RUNNING} THEN t.received END`)
        .as('running_received'),
      eb.fn
        .min<string | null>(sql`CASE WHEN ${IS_RUNNING} THEN t.started_at END`)
        .as('running_since'),
      eb.fn.count<number>('t.waiting_since').as('tasks_waiting'),
      LONGEST_WAIT.as('longest_wait'),
      eb.fn
        .count<number>(
          sql`DISTINCT CASE WHEN t.state IN ('failed', 'timed_out') THEN t.platform_id END`,
        )
        .as('platforms_failed'),
      ofFirstFailure(distinctTitleSql('platforms')).as('failed_title'),
      ofFirstFailure('w.error').as('failed_error'),
      ...PULL_TASK_STATES.map((state) =>
        eb.fn
          .count<number>(eb.case().when('t.state', '=', state).then(1).end())
          .as(`tasks_${state}` as const),
      ),
      eb.fn.max<number | null>('t.begins_rejected').as('begins_rejected'),
      eb.fn.max<number | null>('t.begins_not_listed').as('begins_not_listed'),
      ...COUNT_NAMES.map((name) => eb.fn.sum<number | null>(`t.${name}`).as(name)),
    ])
    .groupBy([
      'p.pull_id',
      'p.trigger',
      'p.state',
      'p.requested_at',
      'p.started_at',
      'p.finished_at',
      'p.requested_by',
      'o.name',
    ])
}

/** Lists pulls as `PullStore.listPulls` specifies. */
export async function listPulls(
  db: Executor,
  { limit, before, ...filter }: Parameters<PullStore['listPulls']>[0],
  clock: Clock,
): Promise<Pull[]> {
  let page = selectMatching(db, filter)
  if (before !== null) page = page.where('pulls.pull_id', '<', before)
  if (filter.since) {
    // A pull ends after its request. Those that ended before are not read.
    page = page.where('pulls.pull_id', '>', await lastEndedBefore(db, filter.since))
  }
  // A subquery, so that only the tasks of this page's pulls are summed.
  const pageIds = page.orderBy('pulls.pull_id', 'desc').limit(limit)
  const select = selectPulls(db).where('p.pull_id', 'in', pageIds)
  const rows = await select.orderBy('p.pull_id', 'desc').execute()
  const now = clock.now()
  return rows.map((row) => toPull(row, now))
}

/** Selects the ids of the pulls that match a filter. */
function selectMatching(db: Executor, { platform, trigger, outcome, since, until }: PullFilter) {
  let select = db.selectFrom('pulls').select('pulls.pull_id')
  if (trigger) select = select.where('pulls.trigger', '=', trigger)
  if (outcome === 'reverted') {
    select = select.where('pulls.pull_id', 'in', selectRevertedPulls(db))
  } else if (outcome) select = select.where(sql<boolean>`${sql.raw(HAS_OUTCOME[outcome])}`)
  if (since) select = select.where('pulls.requested_at', '>=', since)
  if (until) select = select.where('pulls.requested_at', '<=', until)
  if (!platform) return select
  // One index lookup for each pull until the page is full.
  return select.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('pull_tasks as t')
        .select('t.pull_id')
        .whereRef('t.pull_id', '=', 'pulls.pull_id')
        .where('t.platform_id', 'in', (eb) =>
          eb.selectFrom('platforms').select('platform_id').where('platform_name', '=', platform),
        ),
    ),
  )
}

type PullRow = Awaited<ReturnType<ReturnType<typeof selectPulls>['execute']>>[number]

export function toPull(row: PullRow, now: Date): Pull {
  const tasksTotal = Number(row.tasks_total)
  const tasksDone = Number(row.tasks_done)
  const received = Number(row.received ?? 0)
  const waiting = toWaiting(row)
  const work = {
    isWaiting: waiting !== null,
    hasEnded: row.finished_at !== null,
    tasksTotal,
    tasksDone,
    known: {
      tasks: Number(row.expected_known),
      expected: Number(row.expected_total ?? 0),
      done: Number(row.expected_done ?? 0),
    },
    unknown: {
      tasks: tasksTotal - Number(row.expected_known),
      received: Number(row.received_without_expected ?? 0),
    },
    received,
    seconds: secondsOf(row, now),
    running:
      row.running_since === null
        ? null
        : { received: Number(row.running_received), seconds: secondsSince(row.running_since, now) },
  }
  return {
    id: row.pull_id,
    trigger: row.trigger,
    started_by: row.started_by,
    state: row.state,
    requested_at: row.requested_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    progress: {
      tasks_total: tasksTotal,
      tasks_done: tasksDone,
      task_states: toTaskStates(row),
      records_total: Number(row.totals_known) === 0 ? null : Number(row.records_total ?? 0),
      records_received: received,
      ...estimateProgress(work),
      waiting,
    },
    counts: toCounts(row),
    begun: { rejected: row.begins_rejected === 1, not_listed: row.begins_not_listed === 1 },
    failure: toFailure(row),
  }
}

/** Null before the end of the pull, and if no module failed. */
function toFailure({ finished_at, platforms_failed, failed_title, failed_error }: PullRow) {
  const platforms = Number(platforms_failed)
  if (finished_at === null || platforms === 0) return null
  return { platforms, platform_title: failed_title ?? REMOVED, error: failed_error }
}

/** Null if a running task receives records. */
function toWaiting(row: PullRow): Pull['progress']['waiting'] {
  const { longest_wait } = row
  if (longest_wait === null || Number(row.tasks_waiting) < Number(row.tasks_running)) return null
  const end = longest_wait.indexOf(' ')
  return { platform_title: longest_wait.slice(end + 1), since: longest_wait.slice(0, end) }
}

function toTaskStates(row: PullRow): Pull['progress']['task_states'] {
  const states: Pull['progress']['task_states'] = {}
  for (const state of PULL_TASK_STATES) {
    const count = Number(row[`tasks_${state}`])
    if (count > 0) states[state] = count
  }
  return states
}

/** Replaces the name of a platform or module that has been removed. */
const REMOVED = '(removed)'

type TaskQuery = Parameters<PullStore['listTasks']>[0]

/** Lists tasks of a pull as `PullStore.listTasks` specifies. */
export async function listTasks(
  db: Executor,
  { pull_id, state = null, limit, after }: TaskQuery,
): ReturnType<PullStore['listTasks']> {
  let select = selectTasks(db).where('t.pull_id', '=', pull_id)
  if (after !== null) select = select.where('t.task_number', '>', after)
  if (state !== null) select = select.where('t.state', '=', state)
  const tasks = []
  for (const row of await select.orderBy('t.task_number').limit(limit).execute()) {
    tasks.push({ task_number: row.task_number, ...(await toTask(db, row)) })
  }
  return tasks
}

/** Selects tasks with the names of their platforms and modules. */
export function selectTasks(db: Executor) {
  return db
    .selectFrom('pull_tasks as t')
    .leftJoin('platforms as p', 'p.platform_id', 't.platform_id')
    .leftJoin('modules as m', 'm.module_id', 't.module_id')
    .selectAll('t')
    .select([
      'p.platform_name',
      distinctTitle('p').$castTo<string | null>().as('display_title'),
      'm.record_type',
      'm.module_name',
    ])
}

/** Pulls run one after the other, so those after this one contain all that ended at a time or later. */
async function lastEndedBefore(db: Executor, at: string): Promise<number> {
  const last = await db
    .selectFrom('pulls')
    .select('pull_id')
    .where('finished_at', '<', at)
    .orderBy('pull_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.pull_id ?? 0
}

/** The number of pulls that ended in each hour or minute of a range, and of those that could not read all modules. */
export async function countPulls(
  db: Executor,
  precision: 'hour' | 'minute',
  since: string,
  before: string,
) {
  const start = sql<string>`substr(finished_at, 1, ${sql.lit(precision === 'hour' ? 13 : 16)})`
  const rows = await db
    .selectFrom('pulls')
    .select((eb) => [
      start.as('at'),
      eb.fn.countAll<number>().as('pulls'),
      sql<number>`SUM(CASE WHEN ${sql.raw(HAS_OUTCOME.failed)} THEN 1 ELSE 0 END)`.as('failed'),
    ])
    .where('pull_id', '>', await lastEndedBefore(db, since))
    .where('finished_at', '>=', since)
    .where('finished_at', '<', before)
    .groupBy(start)
    .execute()
  return rows.map(({ at, pulls, failed }) => ({
    at,
    pulls: Number(pulls),
    pulls_failed: Number(failed),
  }))
}

export async function countPulledByMinute(db: Executor, since: string, now: string) {
  const at = sql<string>`coalesce(t.finished_at, ${sql.lit(now)})`
  const minute = sql<string>`substr(${at}, 1, 16)`
  const rows = await db
    .selectFrom('pull_tasks as t')
    .select((eb) => [
      minute.as('minute'),
      eb.fn.sum<number>(sql`t.created + t.updated`).as('pulled'),
    ])
    .where('t.pull_id', '>', await lastEndedBefore(db, since))
    .where(at, '>=', since)
    .groupBy(minute)
    .execute()
  const pulled = new Map(rows.map((row) => [row.minute, Number(row.pulled)]))
  // `~` sorts after every time.
  const ended = new Map((await countPulls(db, 'minute', since, '~')).map((one) => [one.at, one]))
  return [...new Set([...pulled.keys(), ...ended.keys()])].map((name) => ({
    minute: name,
    pulled: pulled.get(name) ?? 0,
    pulls: ended.get(name)?.pulls ?? 0,
    pulls_failed: ended.get(name)?.pulls_failed ?? 0,
  }))
}

type TaskRow = Awaited<ReturnType<ReturnType<typeof selectTasks>['execute']>>[number]

/** Returns the error of a task, with the reference of the first rejected record that it is about. */
export async function addFirstReference(
  db: Executor,
  options: Pick<TaskRow, 'pull_id' | 'platform_id' | 'error' | 'error_cause'>,
): Promise<string | null> {
  const { pull_id, platform_id, error, error_cause } = options
  if (error === null || error_cause === null) return error
  const first = await db
    .selectFrom('rejected_pushes as r')
    .select('r.body')
    .where((eb) => eb.and({ 'r.platform_id': platform_id, 'r.cause': error_cause }))
    .where((eb) => wasRejectedBy(eb, pull_id))
    .orderBy('r.rejected_push_id')
    .limit(1)
    .executeTakeFirst()
  return withFirstReference(error, first && parseLossless(first.body))
}

/** Reads the reference that the error of a task names. */
export async function toTask(db: Executor, row: TaskRow): Promise<PullTask> {
  return {
    platform_name: row.platform_name ?? REMOVED,
    platform_title: row.display_title ?? REMOVED,
    record_type: row.record_type ?? REMOVED,
    module_name: row.module_name ?? REMOVED,
    state: row.state,
    total: row.total,
    expected: row.total ?? row.expected,
    ...toCounts(row),
    error: await addFirstReference(db, row),
    warnings: JSON.parse(row.warnings),
    mode: row.mode,
    full_because: row.full_because,
    digest: row.digest === null ? null : JSON.parse(row.digest),
    started_at: row.started_at,
    finished_at: row.finished_at,
    waiting_since: row.waiting_since,
  }
}

function secondsOf({ started_at, finished_at }: PullRow, now: Date): number | null {
  if (started_at === null) return null
  return secondsSince(started_at, finished_at === null ? now : new Date(finished_at))
}

function secondsSince(start: string, end: Date): number {
  return Math.max(0, (end.getTime() - Date.parse(start)) / 1000)
}

export function toCounts(
  row: {
    [Name in keyof PullCounts]: number | string | null
  },
): PullCounts {
  return {
    received: Number(row.received ?? 0),
    created: Number(row.created ?? 0),
    updated: Number(row.updated ?? 0),
    unchanged: Number(row.unchanged ?? 0),
    stale: Number(row.stale ?? 0),
    held: Number(row.held ?? 0),
    rejected: Number(row.rejected ?? 0),
    accepted: Number(row.accepted ?? 0),
    missing: Number(row.missing ?? 0),
    not_listed: Number(row.not_listed ?? 0),
  }
}
