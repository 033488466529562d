import type { Pull, PullCounts } from '@recordhub/protocol'
import { sql } from 'kysely'
import { estimateProgress } from '../../domain/pull.ts'
import type { Executor } from './databases.ts'

/** How many records a task is to bring: as the platform says, else as many as there were before. */
const EXPECTED = sql<number | null>`coalesce(t.total, t.expected)`
/** How many of them are done with; what comes beyond them does not count. */
const DONE = sql<number | null>`CASE
  WHEN t.finished_at IS NOT NULL OR t.received > coalesce(t.total, t.expected)
  THEN coalesce(t.total, t.expected) ELSE t.received END`

/** What is counted of each task. */
export const COUNTED = [
  'received',
  'created',
  'updated',
  'unchanged',
  'stale',
  'rejected',
  'missing',
] as const

/** A pull with the sums of its tasks. */
export function selectPulls(db: Executor) {
  return db
    .selectFrom('pulls as p')
    .leftJoin('pull_tasks as t', 't.pull_id', 'p.pull_id')
    .select((eb) => [
      'p.pull_id',
      'p.trigger',
      'p.state',
      'p.requested_at',
      'p.started_at',
      'p.finished_at',
      eb.fn.count<number>('t.task_number').as('tasks_total'),
      eb.fn.count<number>('t.finished_at').as('tasks_done'),
      eb.fn.count<number>('t.total').as('totals_known'),
      eb.fn.count<number>(EXPECTED).as('expected_known'),
      eb.fn.sum<number | null>(EXPECTED).as('expected_total'),
      eb.fn.sum<number | null>(DONE).as('expected_done'),
      eb.fn.sum<number | null>('t.total').as('records_total'),
      ...COUNTED.map((name) => eb.fn.sum<number | null>(`t.${name}`).as(name)),
    ])
    .groupBy([
      'p.pull_id',
      'p.trigger',
      'p.state',
      'p.requested_at',
      'p.started_at',
      'p.finished_at',
    ])
}

type PullRow = Awaited<ReturnType<ReturnType<typeof selectPulls>['execute']>>[number]

export function toPull(row: PullRow, now: Date): Pull {
  const tasksTotal = Number(row.tasks_total)
  const tasksDone = Number(row.tasks_done)
  const received = Number(row.received ?? 0)
  const work = {
    isOver: row.finished_at !== null,
    tasksTotal,
    tasksDone,
    // Known where each platform has said it, or the hub had records of it before.
    expected: Number(row.expected_known) === tasksTotal ? Number(row.expected_total ?? 0) : null,
    done: Number(row.expected_done ?? 0),
    received,
    seconds: secondsOf(row, now),
  }
  return {
    id: row.pull_id,
    trigger: row.trigger,
    state: row.state,
    requested_at: row.requested_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    progress: {
      tasks_total: tasksTotal,
      tasks_done: tasksDone,
      records_total: Number(row.totals_known) === 0 ? null : Number(row.records_total ?? 0),
      records_received: received,
      ...estimateProgress(work),
    },
    counts: toCounts(row),
  }
}

function secondsOf({ started_at, finished_at }: PullRow, now: Date): number | null {
  if (started_at === null) return null
  const end = finished_at === null ? now.getTime() : Date.parse(finished_at)
  return Math.max(0, (end - Date.parse(started_at)) / 1000)
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
    rejected: Number(row.rejected ?? 0),
    missing: Number(row.missing ?? 0),
  }
}
