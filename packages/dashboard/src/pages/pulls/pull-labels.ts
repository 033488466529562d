/** Labels of pulls and their tasks. */

import type {
  FullBecause,
  Pull,
  PullCounts,
  PullTask,
  PullTrigger,
  Snapshot,
} from '@recordhub/protocol'
import { statusColor } from '../../components/status-color.ts'
import {
  formatClock,
  formatCode,
  formatCount,
  formatDuration,
  formatNumber,
  formatSeconds,
} from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'

export const TRIGGERS: Readonly<Record<PullTrigger, string>> = {
  schedule: 'by schedule',
  operator: 'by an operator',
  api: 'by API',
}

/** The duration of a pull, up to now if it is running; null if it has not started. */
export function durationOf(
  { started_at, finished_at }: Pick<Pull, 'started_at' | 'finished_at'>,
  now: number,
): number | null {
  if (started_at === null) return null
  const end = finished_at === null ? now : Date.parse(finished_at)
  return Math.max(0, end - Date.parse(started_at))
}

/** Who or what started a pull: `by Ann Example`, `by schedule`. */
export function starterLabel({
  trigger,
  started_by,
}: Pick<Pull, 'trigger' | 'started_by'>): string {
  return started_by === null ? TRIGGERS[trigger] : `by ${started_by}`
}

/** Who started a pull, and when: `started by Ann Example at 03:42 PM`. */
export function startLabel(
  pull: Pick<Pull, 'trigger' | 'started_by' | 'requested_at'>,
  now: number,
): string {
  return `started ${starterLabel(pull)} at ${formatClock(pull.requested_at, now)}`
}

/** Why a start starts nothing. */
export function alreadyRunningLabel(pull: Parameters<typeof startLabel>[0], now: number): string {
  return `A pull is already running: ${startLabel(pull, now)}`
}

/** `6 of 7 platforms`: those whose modules were all read; null for one, or if the snapshot does not have all platforms. */
export function platformsLabel(
  pull: Pull,
  { recent_pulls, platforms, stats }: Pick<Snapshot, 'recent_pulls' | 'platforms' | 'stats'>,
): string | null {
  const pulled = recent_pulls.flatMap(({ pulls }) => pulls.filter((one) => one.pull_id === pull.id))
  if (pulled.length < 2 || platforms.length < stats.platforms) return null
  const { length } = pulled.filter(({ state }) => state === 'succeeded')
  return `${formatNumber(length)} of ${formatCount(pulled.length, 'platform')}`
}

/**
 * `40 % · 1,204 of about 3,000 records stored · about 2 min left`, or `· waiting for Loans Office (8 s)`; for a finished
 * pull `1,204 records`, or `480 received · 321 not listed`.
 */
export function progressLabel(pull: Pull, now: number): string {
  const { progress, finished_at, counts } = pull
  const { percent, records_received, seconds_left, waiting } = progress
  if (finished_at !== null) {
    const { not_listed } = counts
    return not_listed > 0
      ? `${formatNumber(records_received)} received · ${formatNumber(not_listed)} not listed`
      : formatCount(records_received, 'record')
  }
  return [
    percent !== null && `${percent} %`,
    storedLabel(pull),
    waiting
      ? waitingLabel(waiting.platform_title, waiting.since, now)
      : seconds_left !== null && `about ${formatDuration(seconds_left * 1000)} left`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** `1,204 of about 3,000 records stored` for a running pull; empty before the first record. */
export function storedLabel({ progress, counts }: Pull): string {
  const { records_received, records_total, records_expected } = progress
  if (records_received === 0) return ''
  const expected = records_expected ?? 0
  const { created, updated, unchanged, stale, held } = counts
  const stored = created + updated + unchanged + stale + held
  // A platform may report no total, so more records than expected may arrive.
  if (records_received > expected) return `${formatCount(stored, 'record')} stored`
  const isExact = records_total === expected
  return `${formatNumber(stored)} of ${isExact ? '' : 'about '}${formatCount(expected, 'record')} stored`
}

export function waitingLabel(platform: string, since: string, now: number): string {
  return `waiting for ${platform} (${formatSeconds(now - Date.parse(since))})`
}

/** `1 failed, 1 running, 3 queued, 10 succeeded`, and `skipped`, `cancelled`, … where there are any. */
export function modulesLabel({ progress: { task_states } }: Pull): string {
  const { failed = 0, timed_out = 0, running = 0, queued = 0, succeeded = 0 } = task_states
  return countLabels([
    [failed + timed_out, 'failed'],
    [running, 'running'],
    [queued, 'queued'],
    [task_states.cancelled ?? 0, 'cancelled'],
    [task_states.interrupted ?? 0, 'interrupted'],
    [task_states.not_reached ?? 0, 'not reached'],
    [task_states.skipped ?? 0, 'skipped'],
    [succeeded, 'succeeded'],
  ]).join(', ')
}

type ShownCount = {
  label: string
  value: number
  /** The list of what needs attention. */
  to?: (pullId: number) => Record<string, string>
}

/** The counts to show with their labels. Rare ones are shown only if they are not zero. */
export function shownCounts(counts: PullCounts): ShownCount[] {
  const rare: ShownCount[] = [
    { label: 'Older than stored', value: counts.stale },
    { label: 'Held', value: counts.held },
    { label: 'Accepted exceptions', value: counts.accepted },
    { label: 'Missing', value: counts.missing },
  ]
  return [
    { label: TEXTS.received, value: counts.received },
    { label: TEXTS.new, value: counts.created },
    { label: TEXTS.updated, value: counts.updated },
    { label: 'Unchanged', value: counts.unchanged },
    {
      label: TEXTS.rejected,
      value: counts.rejected,
      to: (pullId) => ({ tab: 'rejected', pull: String(pullId), state: 'all' }),
    },
    ...rare.filter(({ value }) => value > 0),
    { label: TEXTS.notListed, value: counts.not_listed, to: () => ({ tab: 'missing' }) },
  ]
}

/** The progress of a module in percent; null if it is running and the progress is unknown. */
export function taskPercent({ state, expected, received, finished_at }: PullTask): number | null {
  if (finished_at !== null) return 100
  if (state === 'queued') return 0
  if (expected === null || expected === 0) return null
  return Math.min(99, Math.floor((100 * received) / expected))
}

function countLabels(counts: [number, string][]): string[] {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${formatNumber(count)} ${label}`)
}

/** What an operator should look at although a pull or module succeeded. */
export type PullIssues = Pick<PullCounts, 'rejected' | 'not_listed'>

/** The badge of a pull or module. A success with rejected or unlisted records has its own label and color. */
export function pullStateLabel(
  state: string,
  { rejected, not_listed }: PullIssues,
): { status: string; label: string; color: string } {
  const issues =
    state === 'succeeded'
      ? countLabels([
          [rejected, 'rejected'],
          [not_listed, 'not listed'],
        ])
      : []
  const status = issues.length > 0 ? 'attention' : state
  return { status, label: [formatCode(state), ...issues].join(', '), color: statusColor(status) }
}

/** Why all records were read, where that is not what happens without a digest. */
const FULL_READS: Partial<Record<FullBecause, string>> = {
  too_different: 'read whole: too much differed',
  not_stable: 'read whole: its versions change without content',
  operator: 'read whole: on request, or after an approved review',
}

/**
 * How a task that succeeded read its module: `nothing differed`, `3 buckets differed, 3 repaired`, `read whole: …`; empty for
 * others.
 */
export function readModeLabel({ state, digest, full_because, warnings }: PullTask): string {
  if (state !== 'succeeded') return ''
  if (digest === null) return (full_because && FULL_READS[full_because]) ?? ''
  const { differing, repaired, explained, requests } = digest
  if (requests === 0) return 'not compared'
  return [
    differing === 0
      ? warnings.length === 0
        ? 'nothing differed'
        : 'nothing new differed'
      : `${formatCount(differing, 'bucket')} differed, ${formatNumber(repaired)} repaired`,
    explained > 0 && `${formatNumber(explained)} explained`,
  ]
    .filter(Boolean)
    .join(', ')
}
