import { setTimeout as sleep } from 'node:timers/promises'
import type { PullTaskState } from '@recordhub/protocol'
import type { FastifyBaseLogger } from 'fastify'
import type { NewActivity } from '../../domain/activity.ts'
import { concludePull, countsInWords, type PullStop } from '../../domain/pull.ts'
import { HubError } from '../../errors.ts'
import { repeat } from '../../lib/abortable-loop.ts'
import type { PlatformSource, PlatformStore } from '../../storage/port/platform-store.ts'
import type {
  Lease,
  PullStore,
  PullTaskPlan,
  PullTaskResult,
} from '../../storage/port/pull-store.ts'
import { type JudgedOutcome, type MarkGoneParts, markGone } from './mark-gone.ts'
import { type PullTaskContext, type PullTaskParts, runPullTask } from './run-pull-task.ts'

const HEARTBEAT_MS = 1000
const RENEW_EVERY_BEATS = 5

export type PullRunner = {
  /** Runs a queued pull to its end. Never rejects: what goes wrong is told in the pull. */
  run: (pullId: number) => Promise<void>
  /** Breaks off a pull that has been cancelled, where it is this process that runs it. */
  cancel: (pullId: number) => void
  /** Breaks off what is running as `interrupted` and resolves when it has ended. */
  stop: () => Promise<void>
}

export type PullRunnerParts = PullTaskParts &
  MarkGoneParts & {
    pulls: PullStore
    platforms: Pick<PlatformStore, 'readSource'>
    lease: Lease
    timeoutSeconds: number
    concurrency: number
    log: FastifyBaseLogger
  }

type RunningParts = PullRunnerParts & {
  /** When the pull's time is over, by `performance.now()`; null where nothing is asked twice. */
  endsAt: number | null
  /** What the platform's module failed with that failed last in this pull; null where none did. */
  platformError: string | null
}

type TaskEnd = Pick<PullTaskResult, 'state' | 'platform_error'>

export function createPullRunner(parts: PullRunnerParts): PullRunner {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const endings = new Set<{ pullId: number; ending: AbortController }>()
  return {
    run(pullId) {
      const ending = new AbortController()
      const current = { pullId, ending }
      endings.add(current)
      const run = runPull(parts, pullId, ending, stopping.signal).catch((error: unknown) => {
        parts.log.error({ err: error, pull_id: pullId }, 'a pull broke off')
      })
      running.add(run)
      return run.finally(() => {
        running.delete(run)
        endings.delete(current)
      })
    },
    cancel(pullId) {
      // One that was delivered twice runs once, and the other must not hide it.
      for (const one of endings) {
        if (one.pullId === pullId) one.ending.abort('cancelled' satisfies PullStop)
      }
    },
    async stop() {
      stopping.abort('interrupted' satisfies PullStop)
      await Promise.all(running)
    },
  }
}

async function runPull(
  parts: PullRunnerParts,
  pullId: number,
  ending: AbortController,
  stopping: AbortSignal,
): Promise<void> {
  const plans = await parts.pulls.startPull(pullId, parts.lease)
  if (!plans) return
  const stop = (why: PullStop) => ending.abort(why)
  const timer = setTimeout(stop, parts.timeoutSeconds * 1000, 'timed_out')
  const onStopping = () => stop('interrupted')
  stopping.addEventListener('abort', onStopping)
  if (stopping.aborted) onStopping()
  const beating = beat(parts, pullId, ending.signal, () => stop('interrupted'))
  try {
    const endsAt = performance.now() + parts.timeoutSeconds * 1000
    const states = await runTasks(
      { ...parts, endsAt, platformError: null },
      pullId,
      plans,
      ending.signal,
    )
    const broken = stopOf(ending.signal)
    const state = broken ?? concludePull(states)
    const unfinishedTasks = broken && broken !== 'timed_out' ? broken : 'not_reached'
    const line = describePull(pullId, state, states)
    await untilStored(parts.lease, () =>
      parts.pulls.finishPull(pullId, { state, unfinishedTasks }, line),
    )
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', onStopping)
    ending.abort()
    await beating
  }
}

/** Renews the lease, and notices within a second that the pull was ended by somebody else. */
function beat(
  { pulls, lease }: PullRunnerParts,
  pullId: number,
  signal: AbortSignal,
  onLost: () => void,
): Promise<void> {
  let beats = 0
  return repeat(HEARTBEAT_MS, signal, async () => {
    beats += 1
    const asking =
      beats % RENEW_EVERY_BEATS === 0
        ? pulls.renewLease(pullId, lease)
        : pulls.holdsLease(pullId, lease.owner)
    // While the storage is away nobody can tell.
    if (!(await asking.catch(() => true))) onLost()
  })
}

/** A storage that is away for a moment must not leave a pull behind that nobody ends. */
async function untilStored(lease: Lease, store: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + lease.seconds * 1000
  for (;;) {
    try {
      await store()
      return
    } catch (error) {
      const isAway = error instanceof HubError && error.code === 'storage_unavailable'
      if (!isAway || performance.now() > deadline) throw error
      await sleep(HEARTBEAT_MS)
    }
  }
}

/** Platforms side by side, as many as allowed; the modules of one platform one after the other. */
async function runTasks(
  parts: RunningParts,
  pullId: number,
  plans: PullTaskPlan[],
  signal: AbortSignal,
): Promise<PullTaskState[]> {
  const states: PullTaskState[] = []
  const waiting = [...Map.groupBy(plans, (plan) => plan.platform_id).values()]
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      // Of a platform that is down the first module shows it; to wait at each would starve the others.
      let current = parts
      for (const plan of next) {
        if (signal.aborted) return
        const { state, platform_error } = await runTaskAlone(current, pullId, plan, signal)
        const endsAt = state === 'failed' ? null : parts.endsAt
        current = { ...parts, endsAt, platformError: platform_error }
        states.push(state)
      }
    }
  }
  const workers = Math.min(parts.concurrency, waiting.length)
  await Promise.all(Array.from({ length: workers }, work))
  return states
}

/** A task fails alone, even where its own end cannot be stored. */
async function runTaskAlone(...task: Parameters<typeof runTask>): Promise<TaskEnd> {
  try {
    return await runTask(...task)
  } catch (error) {
    const [parts, pullId] = task
    parts.log.error({ err: error, pull_id: pullId }, 'a pull task broke off')
    return { state: 'failed', platform_error: parts.platformError }
  }
}

async function runTask(
  parts: RunningParts,
  pullId: number,
  plan: PullTaskPlan,
  signal: AbortSignal,
): Promise<TaskEnd> {
  const { platformError } = parts
  const source = await parts.platforms.readSource(plan.platform_id)
  const started = source && (await parts.pulls.startTask(pullId, plan.task_number))
  if (!source || !started) return { state: 'not_reached', platform_error: platformError }
  const context: PullTaskContext = {
    pull_id: pullId,
    ...started,
    endsAt: parts.endsAt,
    source,
    plan,
    signal,
    report: (progress) => parts.pulls.reportTask(pullId, plan.task_number, progress),
  }
  const outcome = await markGone(parts, context, await runPullTask(parts, context))
  const read = { mark: started.mark, broken: stopOf(signal), platformError }
  const result = toResult(outcome, read)
  if (outcome.error !== null && !(outcome.error instanceof HubError)) {
    parts.log.error({ err: outcome.error, pull_id: pullId }, 'a pull task met a defect')
  }
  await parts.pulls.finishTask(pullId, plan.task_number, result, describeTask(plan, source, result))
  return result
}

function toResult(
  outcome: JudgedOutcome,
  {
    mark,
    broken,
    platformError,
  }: { mark: number; broken: PullStop | null; platformError: string | null },
): PullTaskResult {
  const { total, counts, warnings, error, requested_at, records, extent } = outcome
  // Where records are left to be judged, the next read must bring all of them again.
  const kept = outcome.isSettled || extent.pages === 0 ? outcome.kept : null
  if (error === null) {
    return {
      state: 'succeeded',
      total,
      counts,
      warnings,
      error: null,
      trouble: troubleOf(counts.rejected, warnings),
      platform_error: platformError,
      read: { mark, requested_at, records },
      kept,
    }
  }
  const words =
    error instanceof HubError
      ? error.message
      : 'Something went wrong in the hub; its log says what.'
  const state = broken ?? 'failed'
  const told = STOP_WORDS[state] ?? words
  const platform_error = told
  return {
    state,
    total,
    counts,
    warnings,
    error: told,
    trouble: told,
    platform_error,
    read: null,
    kept,
  }
}

const STOP_WORDS: Partial<Record<PullTaskState, string>> = {
  timed_out: 'The time limit of the pull was reached. What was stored stays.',
  interrupted: 'The hub was stopped. What was stored stays.',
  cancelled: 'The pull was cancelled. What was stored stays.',
}

function stopOf(signal: AbortSignal): PullStop | null {
  if (!signal.aborted) return null
  const { reason } = signal
  return reason === 'timed_out' || reason === 'cancelled' ? reason : 'interrupted'
}

function troubleOf(rejected: number, warnings: string[]): string | null {
  if (rejected + warnings.length === 0) return null
  return [`${rejected} rejected`, ...warnings].join('. ')
}

/** Null where there is nothing to tell: the schedule pulls every minute, and what is wrong is told once. */
function describeTask(
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
  const words = [countsInWords(counts), ...warnings].join('. ')
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

const PULL_WORDS = {
  succeeded: 'succeeded',
  partial: 'succeeded in part',
  failed: 'failed',
  timed_out: 'reached its time limit',
  interrupted: 'was interrupted',
  cancelled: 'was cancelled',
} as const

function describePull(
  pullId: number,
  state: keyof typeof PULL_WORDS,
  states: PullTaskState[],
): NewActivity {
  const succeeded = states.filter((one) => one === 'succeeded').length
  return {
    level: state === 'succeeded' ? 'info' : 'warning',
    kind: `pull.${state}`,
    message: `Pull ${pullId} ${PULL_WORDS[state]}: ${succeeded} of ${states.length} modules read`,
    details: { pull_id: pullId },
  }
}
