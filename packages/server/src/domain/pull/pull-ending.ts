/** How a pull ended, which follows from the states of its tasks. */
import type { PullState, PullTaskState } from '@recordhub/protocol'

/** Tasks of a pull by their state. */
export type TaskTally = Partial<Record<PullTaskState, number>>

export type PullEnding = { state: PullState; tasks: TaskTally }

/**
 * The state of a pull whose tasks have all ended or were skipped. Skipped modules were not requested: a pull has
 * succeeded if it read every module that it requested. A pull that skipped every module has failed, since all of
 * its platforms are failing.
 */
export function concludePull(
  tasks: TaskTally,
): Extract<PullState, 'succeeded' | 'partial' | 'failed'> {
  const { read, all } = countTasks(tasks)
  if (read + (tasks.skipped ?? 0) === all && (read > 0 || all === 0)) return 'succeeded'
  return read === 0 ? 'failed' : 'partial'
}

/** The order in which the states of a platform without a read module take precedence. */
const PRECEDENCE: readonly PullTaskState[] = [
  'failed',
  'timed_out',
  'interrupted',
  'cancelled',
  'not_reached',
  'skipped',
]

/** The state of one platform of a pull, given the tasks of its modules. */
export function concludePlatform(tasks: TaskTally): PullTaskState | 'partial' {
  if (tasks.running) return 'running'
  const { read, all } = countTasks(tasks)
  if (tasks.queued) return read > 0 ? 'running' : 'queued'
  if (read === all) return 'succeeded'
  return read > 0 ? 'partial' : (PRECEDENCE.find((state) => tasks[state]) ?? 'failed')
}

/**
 * Whether a pull ended like the previous one. Scheduled pulls run every minute, so an ending is reported only if it
 * differs from the previous one. Failed and skipped modules count as the same, so that a platform that is down is not
 * reported each time a pull skips or requests it; these have activity entries of their own.
 */
export function isSameEnding(ending: PullEnding, before: PullEnding): boolean {
  const [current, previous] = [countTasks(ending.tasks), countTasks(before.tasks)]
  return (
    withoutSkipping(ending) === withoutSkipping(before) &&
    current.read === previous.read &&
    current.all === previous.all
  )
}

function withoutSkipping({ state, tasks }: PullEnding): PullState {
  return state === 'succeeded' && tasks.skipped ? 'partial' : state
}

const STATE_LABELS: Partial<Record<PullState, string>> = {
  succeeded: 'succeeded',
  partial: 'succeeded in part',
  failed: 'failed',
  timed_out: 'reached its time limit',
  interrupted: 'was interrupted',
  cancelled: 'was cancelled',
}

/** "succeeded in part: 2 of 4 modules read, 1 failed, 1 skipped". */
export function formatEnding({ state, tasks }: PullEnding): string {
  const { read, all } = countTasks(tasks)
  const { failed = 0, skipped = 0 } = tasks
  const others: [number, string][] = [
    [failed, 'failed'],
    [skipped, 'skipped'],
    [all - read - failed - skipped, 'not finished'],
  ]
  const listed = others
    .filter(([count]) => count > 0)
    .map(([count, label]) => `, ${count} ${label}`)
  return `${STATE_LABELS[state] ?? state}: ${read} of ${all} modules read${listed.join('')}`
}

function countTasks(tasks: TaskTally): { read: number; all: number } {
  const all = Object.values(tasks).reduce((sum, count) => sum + count, 0)
  return { read: tasks.succeeded ?? 0, all }
}
