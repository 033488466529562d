/** The stored results of pulls and their tasks, and the activity entries about them. */
import type { NewActivity } from '../../domain/activity/activity.ts'
import { formatCounts, type PullStop } from '../../domain/pull/pull.ts'
import { concludePull, formatEnding, isSameEnding } from '../../domain/pull/pull-ending.ts'
import { findIncompleteReasons } from '../../domain/record/completeness.ts'
import { HubError } from '../../errors.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
import type {
  EndState,
  PullTaskPlan,
  PullTaskResult,
  StartedTask,
} from '../../storage/port/pull-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { ModuleOutcome } from './read-module.ts'

/** The inputs of a task's result other than the outcome of its read. */
type TaskEnding = Pick<StartedTask, 'snapshotSeq' | 'pushes'> & {
  /** The error or the warnings of the module's last pull; null without any. */
  lastWarnings: string | null
  /** Why the pull was stopped; null if it was not. */
  stop: PullStop | null
  /** The `platform_error` of the platform's module before; null for none. */
  platformError: string | null
}

export function toResult(
  outcome: ModuleOutcome,
  { snapshotSeq, pushes, stop, platformError, lastWarnings }: TaskEnding,
): PullTaskResult {
  const { total, counts, warnings, error, requested_at, records, coverage } = outcome
  // If the read left records undecided, the next one must return all records again.
  const isCached = outcome.isDecided || coverage.pages === 0
  const common = {
    total,
    counts,
    warnings,
    cached_response: isCached ? outcome.cached_response : null,
    rejection_groups: outcome.rejection_groups,
    ...{ mode: outcome.mode, full_because: outcome.full_because, digest: outcome.digest },
    ...(outcome.isIdle ? { is_idle: true as const } : {}),
  }
  if (error === null) {
    return {
      ...common,
      state: 'succeeded',
      error: null,
      error_cause: null,
      problem: toProblem(outcome, lastWarnings),
      platform_error: platformError ?? outcome.rejection_summary,
      ...{ compared: outcome.compared, digest_change: outcome.digest_change },
      read:
        outcome.mode === 'digest'
          ? null
          : {
              ...{ snapshotSeq, requested_at, records },
              pushes: pushes - outcome.pushedBefore,
              rejected_present: outcome.rejectedPresent,
              incomplete_reasons:
                coverage.pages === 0
                  ? null
                  : findIncompleteReasons({ ...outcome, held: outcome.held + outcome.heldAbsent }),
            },
    }
  }
  const state = stop ?? 'failed'
  const message = describeError(state, error, counts.received)
  const { error_cause } = outcome
  const errors = { error: message, error_cause, problem: message, platform_error: message }
  // What a comparison that did not end has found says nothing about the module.
  const nothing = { digest: null, digest_change: null, read: null, compared: null }
  return { ...common, ...nothing, state, ...errors }
}

/** A pull that has requested nothing, or found the same elements not stored, keeps the warnings about them. */
function toProblem(
  { digest, warnings }: ModuleOutcome,
  lastWarnings: string | null,
): string | null {
  if (warnings.length > 0) return warnings.join(' ')
  const isSame = digest !== null && (digest.explained > 0 || digest.requests === 0)
  return isSame ? lastWarnings : null
}

function describeError(state: PullStop | 'failed', error: unknown, received: number): string {
  if (state === 'timed_out' && received === 0) return NO_RECORDS_MESSAGE
  if (state !== 'failed') return STOP_MESSAGES[state]
  return error instanceof HubError ? error.message : DEFECT_MESSAGE
}

const STOP_MESSAGES: Record<PullStop, string> = {
  timed_out:
    'The pull reached its time limit before the module was read completely. Records that were stored remain. HUB_PULL_TIMEOUT_SECONDS sets the time limit.',
  interrupted: 'The hub stopped. Records that were stored remain.',
  cancelled: 'The pull was cancelled. Records that were stored remain.',
}

const NO_RECORDS_MESSAGE =
  'The pull reached its time limit before the platform sent any records. The platform hangs or is too slow: check its load and its logs.'

const DEFECT_MESSAGE = 'An internal error occurred in the hub. The log of the hub has the details.'

/**
 * The activity entry of a task. Null if there is nothing to report: the schedule pulls every minute, and the same
 * problem is reported once.
 */
export function describeTask(
  plan: PullTaskPlan,
  source: PlatformSource,
  result: PullTaskResult,
): NewActivity | null {
  const { counts, state, warnings, problem } = result
  if (result.is_idle) return null
  const name = `${plan.module_name} of ${source.display_title}`
  const details = { record_type: plan.record_type, counts, warnings }
  const isNew = problem !== null && problem !== plan.problem
  if (state !== 'succeeded') {
    if (!isNew) return null
    const message = `Pulling ${name} ${state === 'failed' ? 'failed' : 'was stopped'}: ${result.error ?? ''}`
    return { level: 'error', kind: `pull_task.${state}`, message, platform: source, details }
  }
  const description = [`${formatCounts(counts)}.`, ...warnings].join(' ')
  if (plan.problem !== null && problem === null) {
    const recovery = plan.error === null ? 'has no more warnings' : 'succeeds again'
    const message = `Pulling ${name} ${recovery}: ${description}`
    return { level: 'info', kind: 'pull_task.recovered', message, platform: source, details }
  }
  if (counts.created + counts.updated + counts.missing === 0 && !isNew) return null
  const level = isNew ? 'warning' : 'info'
  const message = `Pulled ${name}: ${description}`
  return { level, kind: 'pull_task.succeeded', message, platform: source, details }
}

/** How a pull ended. `unfinishedTasks`: the state of the tasks that did not end before; `skipped`: their number. */
type FinishedPull = {
  state: EndState
  unfinishedTasks: PullTaskResult['state']
  skipped: number
}

/**
 * Ends a pull in the state that follows from its tasks, or from what stopped it. The activity reports the end, except
 * that of a scheduled pull that ended like the one before it.
 */
export async function finishPull(
  { pulls }: Pick<FeatureDeps, 'pulls'>,
  pullId: number,
  stop: PullStop | null,
): Promise<FinishedPull> {
  const tasks = await pulls.tallyTasks(pullId)
  const state = stop ?? concludePull(tasks)
  const ending = { state, tasks }
  const [pull, previous] = await pulls.listPulls({ limit: 2, before: pullId + 1 })
  const by = pull?.started_by ?? null
  const activity = {
    ...(by === null ? {} : { actor: by }),
    level: state === 'succeeded' ? 'info' : 'warning',
    kind: `pull.${state}`,
    message: `Pull ${pullId} ${formatEnding(ending)}`,
    details: { pull_id: pullId, tasks },
  } as const
  const unfinishedTasks = stop && stop !== 'timed_out' ? stop : 'not_reached'
  const before = pull?.trigger === 'schedule' && previous
  const isKnown =
    before &&
    isSameEnding(ending, { state: before.state, tasks: await pulls.tallyTasks(before.id) })
  await pulls.finishPull(pullId, { state, unfinishedTasks }, isKnown ? null : activity)
  return { state, unfinishedTasks, skipped: tasks.skipped ?? 0 }
}
