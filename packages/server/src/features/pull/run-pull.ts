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
import { type MarkGoneParts, markGone } from './mark-gone.ts'
import {
  type PullTaskContext,
  type PullTaskOutcome,
  type PullTaskParts,
  runPullTask,
} from './run-pull-task.ts'

const RENEW_EVERY_MS = 5000

export type PullRunner = {
  /** Runs a queued pull to its end. Never rejects: what goes wrong is told in the pull. */
  run: (pullId: number) => Promise<void>
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

export function createPullRunner(parts: PullRunnerParts): PullRunner {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  return {
    run(pullId) {
      const run = runPull(parts, pullId, stopping.signal).catch((error: unknown) => {
        parts.log.error({ err: error, pull_id: pullId }, 'a pull broke off')
      })
      running.add(run)
      return run.finally(() => running.delete(run))
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
  stopping: AbortSignal,
): Promise<void> {
  const plans = await parts.pulls.startPull(pullId, parts.lease)
  if (!plans) return
  const ending = new AbortController()
  const stop = (why: PullStop) => ending.abort(why)
  const timer = setTimeout(stop, parts.timeoutSeconds * 1000, 'timed_out')
  const onStopping = () => stop('interrupted')
  stopping.addEventListener('abort', onStopping)
  if (stopping.aborted) onStopping()
  const renewing = repeat(RENEW_EVERY_MS, ending.signal, async () => {
    const isOurs = await parts.pulls.renewLease(pullId, parts.lease).catch(() => true)
    if (!isOurs) stop('interrupted')
  })
  try {
    const states = await runTasks(parts, pullId, plans, ending.signal)
    const broken = stopOf(ending.signal)
    const state = broken ?? concludePull(states)
    await parts.pulls.finishPull(
      pullId,
      { state, unfinishedTasks: broken === 'interrupted' ? 'interrupted' : 'not_reached' },
      describePull(pullId, state, states),
    )
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', onStopping)
    ending.abort()
    await renewing
  }
}

/** Platforms side by side, as many as allowed; the modules of one platform one after the other. */
async function runTasks(
  parts: PullRunnerParts,
  pullId: number,
  plans: PullTaskPlan[],
  signal: AbortSignal,
): Promise<PullTaskState[]> {
  const states: PullTaskState[] = []
  const waiting = [...Map.groupBy(plans, (plan) => plan.platform_id).values()]
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const plan of next) {
        if (signal.aborted) return
        states.push(await runTaskAlone(parts, pullId, plan, signal))
      }
    }
  }
  const workers = Math.min(parts.concurrency, waiting.length)
  await Promise.all(Array.from({ length: workers }, work))
  return states
}

/** A task fails alone, even where its own end cannot be stored. */
async function runTaskAlone(...task: Parameters<typeof runTask>): Promise<PullTaskState> {
  try {
    return await runTask(...task)
  } catch (error) {
    const [parts, pullId] = task
    parts.log.error({ err: error, pull_id: pullId }, 'a pull task broke off')
    return 'failed'
  }
}

async function runTask(
  parts: PullRunnerParts,
  pullId: number,
  plan: PullTaskPlan,
  signal: AbortSignal,
): Promise<PullTaskState> {
  const source = await parts.platforms.readSource(plan.platform_id)
  const started = source && (await parts.pulls.startTask(pullId, plan.task_number))
  if (!source || !started) return 'not_reached'
  const context: PullTaskContext = {
    pull_id: pullId,
    mark: started.mark,
    source,
    plan,
    signal,
    report: (progress) => parts.pulls.reportTask(pullId, plan.task_number, progress),
  }
  const outcome = await markGone(parts, context, await runPullTask(parts, context))
  const result = toResult(outcome, started.mark, stopOf(signal))
  if (outcome.error !== null && !(outcome.error instanceof HubError)) {
    parts.log.error({ err: outcome.error, pull_id: pullId }, 'a pull task met a defect')
  }
  await parts.pulls.finishTask(pullId, plan.task_number, result, describeTask(plan, source, result))
  return result.state
}

function toResult(outcome: PullTaskOutcome, mark: number, broken: PullStop | null): PullTaskResult {
  const { total, counts, warnings, error, requested_at, records } = outcome
  if (error === null) {
    return {
      state: 'succeeded',
      total,
      counts,
      warnings,
      error: null,
      read: { mark, requested_at, records },
    }
  }
  const words =
    error instanceof HubError
      ? error.message
      : 'Something went wrong in the hub; its log says what.'
  const state = broken ?? 'failed'
  return { state, total, counts, warnings, error: STOP_WORDS[state] ?? words, read: null }
}

const STOP_WORDS: Partial<Record<PullTaskState, string>> = {
  timed_out: 'The time limit of the pull was reached. What was stored stays.',
  interrupted: 'The hub was stopped. What was stored stays.',
}

function stopOf(signal: AbortSignal): PullStop | null {
  if (!signal.aborted) return null
  return signal.reason === 'timed_out' ? 'timed_out' : 'interrupted'
}

/** Null where there is nothing to tell: the schedule pulls every minute. */
function describeTask(
  plan: PullTaskPlan,
  source: PlatformSource,
  result: PullTaskResult,
): NewActivity | null {
  const { counts, state, warnings } = result
  const name = `${plan.module_name} of ${source.display_title}`
  const details = { record_type: plan.record_type, counts, warnings }
  if (state !== 'succeeded') {
    const message = `Pulling ${name} ${state === 'failed' ? 'failed' : 'was broken off'}: ${result.error ?? ''}`
    return { level: 'error', kind: `pull_task.${state}`, message, platform: source, details }
  }
  if (counts.created + counts.updated + counts.rejected + counts.missing + warnings.length === 0)
    return null
  const level = counts.rejected + warnings.length > 0 ? 'warning' : 'info'
  const message = `Pulled ${name}: ${[countsInWords(counts), ...warnings].join('. ')}`
  return { level, kind: 'pull_task.succeeded', message, platform: source, details }
}

const PULL_WORDS = {
  succeeded: 'succeeded',
  partial: 'succeeded in part',
  failed: 'failed',
  timed_out: 'reached its time limit',
  interrupted: 'was interrupted',
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
