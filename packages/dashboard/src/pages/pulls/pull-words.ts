/** How a pull reads. */
import type { Pull, PullCounts, PullTask, PullTrigger } from '@recordhub/protocol'
import { formatCount, formatDuration, formatNumber } from '../../lib/format.ts'

const TRIGGERS: Readonly<Record<PullTrigger, string>> = {
  schedule: 'by the schedule',
  operator: 'by an operator',
  api: 'through the API',
}

/** Who has started it. */
export function triggerInWords(trigger: PullTrigger): string {
  return TRIGGERS[trigger]
}

/** How long it took, or has taken by now; null where it has not begun. */
export function durationOf(
  { started_at, finished_at }: Pick<Pull, 'started_at' | 'finished_at'>,
  now: number,
): number | null {
  if (started_at === null) return null
  const end = finished_at === null ? now : Date.parse(finished_at)
  return Math.max(0, end - Date.parse(started_at))
}

/** `1,204 of 3,000 records · 2 of 5 modules · 12 s · about 20 s left · 120 records a second` */
export function progressInWords(pull: Pull, now: number): string {
  const { records_received, records_total, tasks_done, tasks_total } = pull.progress
  const { records_per_second, seconds_left } = pull.progress
  const duration = durationOf(pull, now)
  const isOver = pull.finished_at !== null
  // Not every platform says how many there are, so what came may be more.
  const isOf = !isOver && records_total !== null && records_received < records_total
  const received = isOf
    ? `${formatNumber(records_received)} of ${formatCount(records_total, 'record')}`
    : formatCount(records_received, 'record')
  return [
    !isOver && records_received === 0 ? 'no record yet' : received,
    `${formatNumber(tasks_done)} of ${formatCount(tasks_total, 'module')}`,
    duration === null ? 'waiting to start' : formatDuration(duration),
    !isOver && seconds_left !== null && `about ${formatDuration(seconds_left * 1000)} left`,
    !isOver &&
      records_per_second !== null &&
      records_per_second > 0 &&
      `${formatCount(records_per_second, 'record')} a second`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The counts that are shown, each under its name; those that are rare only where there are any. */
export function shownCounts(counts: PullCounts): { label: string; value: number }[] {
  const shown = [
    { label: 'Received', value: counts.received },
    { label: 'New', value: counts.created },
    { label: 'Changed', value: counts.updated },
    { label: 'Unchanged', value: counts.unchanged },
    { label: 'Failed', value: counts.rejected },
  ]
  const rare = [
    { label: 'Older than pushed', value: counts.stale },
    { label: 'Gone', value: counts.missing },
  ]
  return [...shown, ...rare.filter(({ value }) => value > 0)]
}

/** How far a module is: 0 to 100; null where it runs and nobody knows. */
export function taskPercent({ state, total, received, finished_at }: PullTask): number | null {
  if (finished_at !== null) return 100
  if (state === 'queued') return 0
  if (total === null) return null
  return total === 0 ? 100 : Math.min(99, Math.floor((100 * received) / total))
}

/** `1,200 of 3,000 · 3 new · 2 changed · 1 failed` */
export function taskInWords(task: PullTask): string {
  const { state, received, total, created, updated, unchanged, stale, rejected, missing } = task
  if (state === 'queued') return 'waiting for its turn'
  if (state === 'running' && received === 0) return 'waiting for the first record'
  const isRunning = task.finished_at === null && total !== null
  const parts: [number, string][] = [
    [created, 'new'],
    [updated, 'changed'],
    [unchanged, 'unchanged'],
    [stale, 'older than pushed'],
    [rejected, 'failed'],
    [missing, 'gone'],
  ]
  return [
    isRunning
      ? `${formatNumber(received)} of ${formatCount(total, 'record')}`
      : formatCount(received, 'record'),
    ...parts
      .filter(([count]) => count > 0)
      .map(([count, word]) => `${formatNumber(count)} ${word}`),
  ].join(' · ')
}

/** `* * * * *` in words, where it is a common one. */
export function patternInWords(pattern: string): string {
  const every = /^\*\/(\d+) \* \* \* \*$/.exec(pattern)?.[1]
  if (pattern === '* * * * *') return 'every minute'
  return every ? `every ${every} minutes` : `by the pattern ${pattern}`
}
