/** The metrics of pulls, their tasks and the records that they read. */
import { PULL_TASK_STATES, type PullCounts } from '@recordhub/protocol'
import type { MetricsRegistry } from '../../lib/metrics/registry.ts'
import type { EndState, PullTaskResult } from '../../storage/port/pull-store.ts'

type TaskEndState = PullTaskResult['state']

const PULL_STATES: readonly EndState[] = [
  ...(['succeeded', 'partial', 'failed', 'cancelled', 'timed_out', 'interrupted'] as const),
]
const TASK_STATES: readonly TaskEndState[] = PULL_TASK_STATES.filter(
  (state) => state !== 'queued' && state !== 'running',
)
/** What happened to the elements of a read. Not those that each read counts again. */
const RECORD_OUTCOMES: readonly Exclude<keyof PullCounts, 'received' | 'not_listed'>[] = [
  ...([
    'created',
    'updated',
    'unchanged',
    'stale',
    'held',
    'rejected',
    'accepted',
    'missing',
  ] as const),
]

export type PullMetrics = {
  countPull: (state: EndState, seconds: number) => void
  /** Counts a task that ran. */
  countTask: (result: Pick<PullTaskResult, 'state' | 'counts'>, seconds: number) => void
  /** Counts tasks of an ended pull that never ran. */
  countUnrun: (state: TaskEndState, tasks: number) => void
}

export function createPullMetrics(registry: MetricsRegistry): PullMetrics {
  const pulls = registry.counters({
    ...{ name: 'recordhub_pulls_total', help: 'Pulls that this process has run, by end state.' },
    ...{ label: 'state', values: PULL_STATES },
  })
  const duration = registry.histogram({
    name: 'recordhub_pull_duration_seconds',
    help: 'Duration of the pulls that this process has run.',
    bounds: [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600],
  })
  const tasks = registry.counters({
    name: 'recordhub_pull_tasks_total',
    help: 'Pull tasks (one per module and pull), by end state. skipped: scheduled pulls skip the platform, which is failing; not_reached: the pull ended before the task began.',
    ...{ label: 'state', values: TASK_STATES },
  })
  const taskDuration = registry.histogram({
    name: 'recordhub_pull_task_duration_seconds',
    help: 'Duration of the pull tasks that ran.',
    bounds: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900],
  })
  const records = registry.counters({
    name: 'recordhub_pull_records_total',
    help: 'Elements of pulled modules, by outcome. missing: stored records that a complete pull did not contain.',
    ...{ label: 'outcome', values: RECORD_OUTCOMES },
  })
  return {
    countPull(state, seconds) {
      pulls[state].add()
      duration.observe(seconds)
    },
    countTask({ state, counts }, seconds) {
      tasks[state].add()
      taskDuration.observe(seconds)
      for (const outcome of RECORD_OUTCOMES) records[outcome].add(counts[outcome])
    },
    countUnrun: (state, count) => tasks[state].add(count),
  }
}
