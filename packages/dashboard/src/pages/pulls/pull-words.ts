/** How a pull reads. */
import type { Pull, PullCounts, PullTask, PullTrigger } from '@recordhub/protocol'
import { formatCount, formatDuration, formatNumber, formatWord } from '../../lib/format.ts'

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

/** Who started a pull: `by Ann Example`, `by the schedule`. */
export function starterLabel({
  trigger,
  started_by,
}: Pick<Pull, 'trigger' | 'started_by'>): string {
  return started_by === null ? triggerInWords(trigger) : `by ${started_by}`
}

/** `40 % · 1,204 of about 3,000 records · about 18 s left`; for a finished pull `1,204 records`. */
export function progressLabel({ progress, finished_at }: Pull): string {
  const { percent, records_received, records_total, records_expected, seconds_left } = progress
  if (finished_at !== null) return formatCount(records_received, 'record')
  const expected = records_expected ?? 0
  const isExact = records_total === expected
  return [
    percent !== null && `${percent} %`,
    // Not every platform reports a total, so more records may arrive than were expected.
    records_received > 0 && records_received < expected
      ? `${formatNumber(records_received)} of ${isExact ? '' : 'about '}${formatCount(expected, 'record')}`
      : records_received > 0 && formatCount(records_received, 'record'),
    seconds_left === null
      ? 'estimating the time left'
      : `about ${formatDuration(seconds_left * 1000)} left`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** `2 of 5 modules read · 1 failed · 1 cancelled · 12 s`. Only modules that were read completely count as read. */
export function modulesLabel(pull: Pull, now: number): string {
  const { tasks_total, task_states: states } = pull.progress
  const duration = durationOf(pull, now)
  const others: [number, string][] = [
    [(states.failed ?? 0) + (states.timed_out ?? 0), 'failed'],
    [states.cancelled ?? 0, 'cancelled'],
    [states.interrupted ?? 0, 'interrupted'],
    [states.not_reached ?? 0, 'not reached'],
    [states.skipped ?? 0, 'skipped'],
  ]
  return [
    `${formatNumber(states.succeeded ?? 0)} of ${formatCount(tasks_total, 'module')} read`,
    ...countLabels(others),
    duration === null ? 'waiting to start' : formatDuration(duration),
  ].join(' · ')
}

/** The counts that are shown, each under its name; those that are rare only where there are any. */
export function shownCounts(counts: PullCounts): { label: string; value: number }[] {
  const shown = [
    { label: 'Received', value: counts.received },
    { label: 'New', value: counts.created },
    { label: 'Changed', value: counts.updated },
    { label: 'Unchanged', value: counts.unchanged },
    { label: 'Rejected', value: counts.rejected },
  ]
  const rare = [
    { label: 'Older than pushed', value: counts.stale },
    { label: 'Missing', value: counts.missing },
  ]
  return [...shown, ...rare.filter(({ value }) => value > 0)]
}

/** How far a module is: 0 to 100; null where it runs and nobody knows. */
export function taskPercent({ state, expected, received, finished_at }: PullTask): number | null {
  if (finished_at !== null) return 100
  if (state === 'queued') return 0
  if (expected === null || expected === 0) return null
  return Math.min(99, Math.floor((100 * received) / expected))
}

/** `1,200 of 3,000 · 3 new · 2 changed · 1 rejected` */
export function taskInWords(task: PullTask): string {
  const { state, received, total, created, updated, unchanged, stale, rejected, missing } = task
  if (state === 'queued') return 'waiting'
  // A reading may be some seconds old: records may have arrived since.
  if (state === 'running' && received === 0) return 'reading…'
  const isRunning = task.finished_at === null && total !== null
  return [
    isRunning
      ? `${formatNumber(received)} of ${formatCount(total, 'record')}`
      : formatCount(received, 'record'),
    ...countLabels([
      [created, 'new'],
      [updated, 'changed'],
      [unchanged, 'unchanged'],
      [stale, 'older than pushed'],
      [rejected, 'rejected'],
      [missing, 'missing'],
    ]),
  ].join(' · ')
}

function countLabels(counts: [number, string][]): string[] {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${formatNumber(count)} ${label}`)
}

/** The state of a pull or module as a badge shows it. What has rejected records has not simply succeeded. */
export function pullStateLabel(
  state: string,
  rejected: number,
): { status: string; label: string; color: string } {
  const hasRejected = state === 'succeeded' && rejected > 0
  const status = hasRejected ? 'partial' : state
  return {
    status,
    label: hasRejected ? `Succeeded, ${formatNumber(rejected)} rejected` : formatWord(state),
    color: COLORS[status] ?? 'gray',
  }
}

const COLORS: Readonly<Record<string, string>> = {
  succeeded: 'green',
  partial: 'yellow',
  failed: 'red',
  timed_out: 'red',
  running: 'harbour',
  interrupted: 'orange',
  not_reached: 'orange',
}

/** `* * * * *` in words, where it is a common one. */
export function patternInWords(pattern: string): string {
  const every = /^\*\/(\d+) \* \* \* \*$/.exec(pattern)?.[1]
  if (pattern === '* * * * *') return 'every minute'
  return every ? `every ${every} minutes` : `by the pattern ${pattern}`
}
