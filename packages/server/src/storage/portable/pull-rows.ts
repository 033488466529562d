import type { Pull, PullCounts } from '@recordhub/protocol'
import type { Executor } from './databases.ts'

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
      eb.fn.sum<number | null>('t.total').as('records_total'),
      eb.fn.sum<number | null>('t.received').as('received'),
      eb.fn.sum<number | null>('t.created').as('created'),
      eb.fn.sum<number | null>('t.updated').as('updated'),
      eb.fn.sum<number | null>('t.unchanged').as('unchanged'),
      eb.fn.sum<number | null>('t.stale').as('stale'),
      eb.fn.sum<number | null>('t.rejected').as('rejected'),
      eb.fn.sum<number | null>('t.missing').as('missing'),
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

export function toPull(row: PullRow): Pull {
  const tasksTotal = Number(row.tasks_total)
  const tasksDone = Number(row.tasks_done)
  const received = Number(row.received ?? 0)
  const isOver = row.finished_at !== null
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
      percent: percentDone({ isOver, tasksTotal, tasksDone }),
    },
    counts: toCounts(row),
  }
}

function percentDone(pull: { isOver: boolean; tasksTotal: number; tasksDone: number }) {
  if (pull.isOver) return 100
  if (pull.tasksTotal === 0) return null
  return Math.floor((100 * pull.tasksDone) / pull.tasksTotal)
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
