/** What became of a pull task, as it is stored and as it is told. */
import type { PullTaskState } from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity/activity.ts'
import { countsInWords, type PullStop } from '../../domain/pull/pull.ts'
import { findIncompleteReasons } from '../../domain/record/completeness.ts'
import { HubError } from '../../errors.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
import type { PullTaskPlan, PullTaskResult, StartedTask } from '../../storage/port/pull-store.ts'
import type { JudgedOutcome } from './detect-missing.ts'

/** The circumstances that a task ended in. */
export type TaskEnding = Pick<StartedTask, 'mark' | 'pushes'> & {
  /** Why its pull was broken off; null where it was not. */
  broken: PullStop | null
  /** What the platform's module failed with that failed last in this pull; null where none did. */
  platformError: string | null
}

/** How a task ended, from what its read brought. */
export function toResult(
  outcome: JudgedOutcome,
  { mark, pushes, broken, platformError }: TaskEnding,
): PullTaskResult {
  const { total, counts, warnings, error, requested_at, records, extent } = outcome
  const { rejectedHere: rejected_here } = outcome
  // Where records are left to be judged, the next read must bring all of them again.
  const kept = outcome.isSettled || extent.pages === 0 ? outcome.kept : null
  if (error === null) {
    const doubts = extent.pages === 0 ? null : findIncompleteReasons(outcome)
    return {
      state: 'succeeded',
      total,
      counts,
      warnings,
      error: null,
      trouble: warnings.length > 0 ? warnings.join(' ') : null,
      platform_error: platformError,
      read: { mark, requested_at, pushes, records, rejected_here, doubts },
      kept,
    }
  }
  const words =
    error instanceof HubError
      ? error.message
      : 'Something went wrong in the hub; its log says what.'
  const state = broken ?? 'failed'
  const isHung = state === 'timed_out' && counts.received === 0
  const told = isHung ? HUNG_WORDS : (STOP_WORDS[state] ?? words)
  return {
    state,
    total,
    counts,
    warnings,
    error: told,
    trouble: told,
    platform_error: told,
    read: null,
    kept,
  }
}

const STOP_WORDS: Partial<Record<PullTaskState, string>> = {
  timed_out:
    'The time limit of the pull was reached before all of it had come. What was stored stays. HUB_PULL_TIMEOUT_SECONDS gives pulls more time.',
  interrupted: 'The hub was stopped. What was stored stays.',
  cancelled: 'The pull was cancelled. What was stored stays.',
}

const HUNG_WORDS =
  'No record had come when the time limit of the pull was reached. The platform hangs or takes too long: its load and its logs say why.'

/** Null where there is nothing to tell: the schedule pulls every minute, and what is wrong is told once. */
export function describeTask(
  plan: PullTaskPlan,
  source: PlatformSource,
  result: PullTaskResult,
): NewActivity | null {
  const { counts, state, warnings } = result
  const name = `${plan.module_name} of ${source.display_title}`
  const details = { record_type: plan.record_type, counts, warnings }
  const isKnown = result.trouble !== null && result.trouble === plan.trouble
  if (state !== 'succeeded') {
    if (isKnown) return null
    const message = `Pulling ${name} ${state === 'failed' ? 'failed' : 'was broken off'}: ${result.error ?? ''}`
    return { level: 'error', kind: `pull_task.${state}`, message, platform: source, details }
  }
  const words = [`${countsInWords(counts)}.`, ...warnings].join(' ')
  if (plan.trouble !== null && result.trouble === null) {
    const message = `Pulling ${name} goes well again: ${words}`
    return { level: 'info', kind: 'pull_task.recovered', message, platform: source, details }
  }
  const isNew = result.trouble !== null && !isKnown
  if (counts.created + counts.updated + counts.missing === 0 && !isNew) return null
  const level = isNew ? 'warning' : 'info'
  const message = `Pulled ${name}: ${words}`
  return { level, kind: 'pull_task.succeeded', message, platform: source, details }
}
