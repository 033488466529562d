import { setTimeout as sleep } from 'node:timers/promises'
import type { PullTaskState } from '@recordhub/protocol'
import type { FastifyBaseLogger } from 'fastify'
import type { NewActivity } from '../../domain/activity.ts'
import { findDoubts } from '../../domain/completeness.ts'
import { countsInWords, type PullStop } from '../../domain/pull.ts'
import { HubError } from '../../errors.ts'
import { repeat } from '../../lib/abortable-loop.ts'
import type { PlatformSource, PlatformStore } from '../../storage/port/platform-store.ts'
import type {
  Lease,
  PullStore,
  PullTaskPlan,
  PullTaskResult,
  StartedTask,
} from '../../storage/port/pull-store.ts'
import { finishPull } from './finish-pull.ts'
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
    /** Looks whether a platform's manifest has changed, now and then. Never rejects. */
    refreshManifest: (platformId: number, signal: AbortSignal) => Promise<void>
    timeoutSeconds: number
    concurrency: number
    log: FastifyBaseLogger
  }

/** `endsAt`: when the pull's time is over, by `performance.now()`; null where nothing is asked twice. */
type RunningParts = PullRunnerParts & { endsAt: number | null }

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
    await runTasks({ ...parts, endsAt }, pullId, plans, ending.signal)
    const broken = stopOf(ending.signal)
    await untilStored(parts.lease, () => finishPull(parts.pulls, pullId, broken))
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
): Promise<void> {
  const waiting = [...Map.groupBy(plans, (plan) => plan.platform_id)]
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      // Of a platform that is down the first module shows it; to wait at each would starve the others.
      let current = parts
      let hasAnswered = false
      const [platformId, ofPlatform] = next
      for (const plan of ofPlatform) {
        if (signal.aborted) return
        const state = await runTaskAlone(current, pullId, plan, signal)
        current = { ...parts, endsAt: state === 'failed' ? null : parts.endsAt }
        hasAnswered ||= state === 'succeeded'
      }
      if (hasAnswered) await parts.refreshManifest(platformId, signal)
    }
  }
  const workers = Math.min(parts.concurrency, waiting.length)
  await Promise.all(Array.from({ length: workers }, work))
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
  parts: RunningParts,
  pullId: number,
  plan: PullTaskPlan,
  signal: AbortSignal,
): Promise<PullTaskState> {
  const source = await parts.platforms.readSource(plan.platform_id)
  const started = source && (await parts.pulls.startTask(pullId, plan.task_number))
  if (!source || !started) return 'not_reached'
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
  const result = toResult(outcome, started, stopOf(signal))
  if (outcome.error !== null && !(outcome.error instanceof HubError)) {
    parts.log.error({ err: outcome.error, pull_id: pullId }, 'a pull task met a defect')
  }
  await parts.pulls.finishTask(pullId, plan.task_number, result, describeTask(plan, source, result))
  return result.state
}

function toResult(
  outcome: JudgedOutcome,
  { mark, pushes }: StartedTask,
  broken: PullStop | null,
): PullTaskResult {
  const { total, counts, warnings, error, requested_at, records, extent } = outcome
  // Where records are left to be judged, the next read must bring all of them again.
  const kept = outcome.isSettled || extent.pages === 0 ? outcome.kept : null
  if (error === null) {
    const doubts = extent.pages === 0 ? null : findDoubts(outcome)
    return {
      state: 'succeeded',
      total,
      counts,
      warnings,
      error: null,
      trouble: warnings.length > 0 ? warnings.join(' ') : null,
      read: { mark, requested_at, pushes, records, doubts },
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
  return { state, total, counts, warnings, error: told, trouble: told, read: null, kept }
}

const STOP_WORDS: Partial<Record<PullTaskState, string>> = {
  timed_out:
    'The time limit of the pull was reached before all of it had come. What was stored stays. HUB_PULL_TIMEOUT_SECONDS gives pulls more time.',
  interrupted: 'The hub was stopped. What was stored stays.',
  cancelled: 'The pull was cancelled. What was stored stays.',
}

const HUNG_WORDS =
  'No record had come when the time limit of the pull was reached. The platform hangs or takes too long: its load and its logs say why.'

function stopOf(signal: AbortSignal): PullStop | null {
  if (!signal.aborted) return null
  const { reason } = signal
  return reason === 'timed_out' || reason === 'cancelled' ? reason : 'interrupted'
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
