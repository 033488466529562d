/**
 * Runs a queued pull in this process.
 *
 * States of a pull:
 *   queued       `requestPull` has stored it with its tasks. At most one pull is queued or running.
 *   running      `startPull` has given it to a process under a lease, which the process renews.
 *   succeeded, partial, failed
 *                All tasks have ended; their states decide which (`concludePull`).
 *   timed_out    HUB_PULL_TIMEOUT_SECONDS passed while it was running.
 *   interrupted  Its process stopped or lost the lease.
 *   cancelled    An operator cancelled it while it was queued or running.
 *
 * States of a task, one per module:
 *   queued       Waits to run.
 *   running      `startTask` has begun the read of the module.
 *   succeeded    The module was read completely.
 *   failed       The read ended with an error.
 *   skipped      Scheduled pulls skip the platform, which is failing. It is queued if the platform responds to a ping.
 *   not_reached  The pull ended, or timed out, before the task began.
 *   timed_out, interrupted, cancelled
 *                The pull ended like this during the task; `interrupted` and `cancelled` also before it.
 *
 * Nothing that a task reads is stored after its pull has left `running`: every write checks that state.
 */
import PQueue from 'p-queue'
import pRetry from 'p-retry'
import { noCounts, type PullStop } from '../../domain/pull/pull.ts'
import { HubError, isStorageUnavailable } from '../../errors.ts'
import { withLastDecrypted } from '../../lib/crypto/secret-box.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { Span, Tracer } from '../../lib/tracing/tracer.ts'
import type { PlatformTimeouts } from '../../platform-client/request/timeouts.ts'
import type { Lease, PullTaskPlan, PullTaskResult } from '../../storage/port/pull-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { PullMetrics } from './pull-metrics.ts'
import { describeTask, finishPull, toResult } from './pull-results.ts'
import { type ModuleContext, type ReadModuleDeps, readModule } from './read-module.ts'
import { type ResumeDeps, resumePlatform } from './resume-platform.ts'

const HEARTBEAT_MS = 1000
/** The lease is renewed at every fifth heartbeat, and checked at the others. */
const HEARTBEATS_PER_RENEWAL = 5
/** The number of skipped platforms that are pinged at the same time, and the time limit of all pings of a pull. */
const MAX_PINGS = 100
const PING_MS = 10_000

export type PullRunner = {
  /** Runs a queued pull to its end. Never rejects: the pull's state has its error. */
  run: (pullId: number) => Promise<void>
  /** Renews the leases of the pulls that this process runs: after the clock is set, they seem to be expired. */
  renewLeases: () => Promise<void>
  /** Stops a cancelled pull if this process runs it. */
  cancel: (pullId: number) => void
  /** Stops all running pulls as `interrupted`. Resolves when they have ended. */
  stop: () => Promise<void>
}

export type PullRunnerDeps = ReadModuleDeps &
  ResumeDeps &
  Pick<FeatureDeps, 'log' | 'tracer' | 'updatePlannerStatistics'> & {
    config: Pick<FeatureDeps['config'], 'HUB_PULL_TIMEOUT_SECONDS' | 'HUB_PULL_CONCURRENCY'>
    timeouts: Pick<
      PlatformTimeouts,
      'firstByteSeconds' | 'resumedFirstByteSeconds' | 'usualLimitsAfterSeconds'
    >
    lease: Lease
    /** Refreshes the manifest of a platform if it is due. Never rejects. */
    refreshManifest: (platformId: number, signal: AbortSignal) => Promise<void>
    /** Waits for the time limit of a pull. Resolves with false when the signal aborts first. */
    waitForLimit: (milliseconds: number, signal: AbortSignal) => Promise<boolean>
    pullMetrics: PullMetrics
  }

/** A running pull. */
type RunningPull = {
  deps: PullRunnerDeps
  /** When each platform that is skipped was first read with short limits, or last with the usual ones. */
  usualLimitsAt: Map<number, number>
  pullId: number
  /** Aborts with a `PullStop` when the pull must stop. */
  signal: AbortSignal
  /** Aborts when the hub stops. */
  stopping: AbortSignal
  /** When the time limit of the pull is reached, by `performance.now()`. */
  endsAt: number
  /** The number of tasks to run, and of those that have run. */
  tasksPlanned: number
  tasksRun: number
}

/** The state that each task of a platform passes to the next one. */
type PlatformProgress = {
  /** The error of the platform's module that failed most recently in this pull; null if none failed. */
  platformError: string | null
  /** Whether the last module failed for a reason that concerns the whole platform. */
  isPlatformFailing: boolean
  /** Whether the platform was skipped, and none of its modules has been read since. */
  isUnproven: boolean
}

type TaskEnd = Omit<PlatformProgress, 'isUnproven'> & Pick<PullTaskResult, 'state'>

export function createPullRunner(deps: PullRunnerDeps): PullRunner {
  const stopping = new AbortController()
  const running = new Set<{ pullId: number; stop: AbortController; ended: Promise<void> }>()
  const usualLimitsAt: RunningPull['usualLimitsAt'] = new Map()
  return {
    run(pullId) {
      const stop = new AbortController()
      const ended = runPull({ deps, usualLimitsAt, pullId }, stop, stopping.signal).catch(
        (error: unknown) => {
          deps.log.error({ err: error, pull_id: pullId }, 'a pull ended with an internal error')
        },
      )
      const current = { pullId, stop, ended }
      running.add(current)
      return ended.finally(() => running.delete(current))
    },
    async renewLeases() {
      for (const { pullId } of running) await deps.pulls.renewLease(pullId, deps.lease)
    },
    cancel(pullId) {
      // A pull that is delivered twice has two entries, one of which runs it.
      for (const one of running) {
        if (one.pullId === pullId) one.stop.abort('cancelled' satisfies PullStop)
      }
    },
    async stop() {
      stopping.abort('interrupted' satisfies PullStop)
      await Promise.all([...running].map(({ ended }) => ended))
    },
  }
}

async function runPull(
  { deps, usualLimitsAt, pullId }: Pick<RunningPull, 'deps' | 'usualLimitsAt' | 'pullId'>,
  ending: AbortController,
  stopping: AbortSignal,
): Promise<void> {
  const start = () => deps.pulls.startPull(pullId, deps.lease)
  const plans = await retryWhileUnavailable(stopping, start)
  if (!plans) return
  const begun = performance.now()
  const { signal } = ending
  const stop = (why: PullStop) => ending.abort(why)
  const limitMs = deps.config.HUB_PULL_TIMEOUT_SECONDS * 1000
  const limit = deps.waitForLimit(limitMs, signal).then((isOver) => {
    if (isOver) stop('timed_out')
  })
  const interrupt = () => stop('interrupted')
  stopping.addEventListener('abort', interrupt)
  if (stopping.aborted) interrupt()
  const heartbeat = sendHeartbeats(deps, pullId, signal, interrupt)
  try {
    const tasks = { tasksPlanned: plans.length, tasksRun: 0 }
    const pull = {
      deps,
      usualLimitsAt,
      pullId,
      signal,
      stopping,
      endsAt: begun + limitMs,
      ...tasks,
    }
    await runTasks(pull, plans)
    const why = stopOf(signal)
    const finish = () => finishPull(deps, pullId, why)
    const finished = await retryWhileUnavailable(stopping, finish)
    deps.pullMetrics.countPull(finished.state, (performance.now() - begun) / 1000)
    deps.pullMetrics.countUnrun('skipped', finished.skipped)
    deps.pullMetrics.countUnrun(finished.unfinishedTasks, pull.tasksPlanned - pull.tasksRun)
  } finally {
    stopping.removeEventListener('abort', interrupt)
    ending.abort()
    await Promise.all([heartbeat, limit])
  }
}

/** Renews the lease. Detects within a second that another process or an operator has ended the pull. */
function sendHeartbeats(
  { pulls, lease }: PullRunnerDeps,
  pullId: number,
  signal: AbortSignal,
  onLost: () => void,
): Promise<void> {
  let heartbeats = 0
  return runPeriodically(HEARTBEAT_MS, signal, async () => {
    heartbeats += 1
    const isHeld =
      heartbeats % HEARTBEATS_PER_RENEWAL === 0
        ? pulls.renewLease(pullId, lease)
        : pulls.holdsLease(pullId, lease.owner)
    // An unavailable storage does not show that the lease is lost.
    if (!(await isHeld.catch(() => true))) onLost()
  })
}

/**
 * Retries until the signal aborts, so that an outage of the storage or a full disk does not leave a pull running. A
 * result of a pull that another process has ended in the meantime changes nothing.
 */
function retryWhileUnavailable<Result>(
  signal: AbortSignal,
  store: () => Promise<Result>,
): Promise<Result> {
  return pRetry(store, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: HEARTBEAT_MS,
    factor: 1,
    shouldRetry: ({ error }) => isStorageUnavailable(error) && !signal.aborted,
  })
}

/**
 * Reads several platforms at the same time, and the modules of each platform one after the other. Skipped platforms are
 * pinged meanwhile, and those that respond are read after the others.
 */
async function runTasks(pull: RunningPull, plans: PullTaskPlan[]): Promise<void> {
  const { deps, pullId, signal } = pull
  const reads = new PQueue({ concurrency: deps.config.HUB_PULL_CONCURRENCY })
  const pings = new PQueue({ concurrency: MAX_PINGS })
  const read = (platformId: number, ofPlatform: PullTaskPlan[], isResumed: boolean) =>
    reads.add(() => runPlatformTasks(pull, { platformId, isResumed }, ofPlatform))
  const skipped = await retryWhileUnavailable(signal, () => deps.pulls.listSkipped(pullId))
  const pinging = AbortSignal.any([signal, AbortSignal.timeout(PING_MS)])
  const platforms = Map.groupBy(plans, (plan) => plan.platform_id)
  const queued = [...platforms].map(([platformId, ofPlatform]) =>
    read(platformId, ofPlatform, false),
  )
  const resumed = skipped.map(async (platformId) => {
    const resume = () => resumePlatform(deps, { pullId, platformId }, pinging)
    const ofPlatform = await pings.add(resume).catch((error: unknown): PullTaskPlan[] => {
      logDefect(pull, error)
      return []
    })
    if (ofPlatform.length === 0) return
    pull.tasksPlanned += ofPlatform.length
    const hasUsualLimits = areUsualLimitsDue(pull, platformId)
    await read(platformId, ofPlatform, !hasUsualLimits)
    if (hasUsualLimits) pull.usualLimitsAt.set(platformId, performance.now())
  })
  await Promise.all([...queued, ...resumed])
}

/** Whether a platform that is skipped has been read with short limits for so long that it may need the usual ones. */
function areUsualLimitsDue({ deps, usualLimitsAt }: RunningPull, platformId: number): boolean {
  const now = performance.now()
  const since = usualLimitsAt.get(platformId) ?? now
  usualLimitsAt.set(platformId, since)
  return now - since >= deps.timeouts.usualLimitsAfterSeconds * 1000
}

async function runPlatformTasks(
  pull: RunningPull,
  { platformId, isResumed }: { platformId: number; isResumed: boolean },
  plans: PullTaskPlan[],
): Promise<void> {
  let progress: PlatformProgress = {
    platformError: null,
    isPlatformFailing: false,
    isUnproven: isResumed,
  }
  let hasSucceeded = false
  // Decrypts the key once, unless it changes during the pull.
  const deps = { ...pull.deps, secrets: withLastDecrypted(pull.deps.secrets) }
  for (const plan of plans) {
    if (pull.signal.aborted) return
    // It responds to pings only. Waiting for each of its modules would delay the next pull of all platforms.
    if (progress.isUnproven && progress.isPlatformFailing) return
    const end = await runTask({ pull, deps }, plan, progress).catch((error: unknown): TaskEnd => {
      // The result of one task could not be stored. The other tasks run nevertheless.
      logDefect(pull, error)
      pull.deps.pullMetrics.countTask({ state: 'failed', counts: noCounts() }, 0)
      return { ...progress, state: 'failed', isPlatformFailing: false }
    })
    hasSucceeded ||= end.state === 'succeeded'
    progress = { ...end, isUnproven: isResumed && !hasSucceeded }
  }
  if (!hasSucceeded) return
  pull.usualLimitsAt.delete(platformId)
  await pull.deps.refreshManifest(platformId, pull.signal)
}

async function runTask(
  { pull, deps }: { pull: RunningPull; deps: PullRunnerDeps },
  plan: PullTaskPlan,
  { platformError, isPlatformFailing, isUnproven }: PlatformProgress,
): Promise<TaskEnd> {
  const { pullId, signal, stopping } = pull
  const { task_number } = plan
  const source = await retryWhileUnavailable(signal, () =>
    deps.platforms.readSource(plan.platform_id),
  )
  const start = () => deps.pulls.startTask(pullId, task_number)
  const started = source && (await retryWhileUnavailable(signal, start))
  if (!source || !started) return { platformError, isPlatformFailing: false, state: 'not_reached' }
  pull.tasksRun += 1
  const span = deps.tracer && startSpan(deps.tracer, pullId, plan, source.platform_name)
  const begun = performance.now()
  const { firstByteSeconds, resumedFirstByteSeconds } = deps.timeouts
  const context: ModuleContext = {
    pull_id: pullId,
    ...started,
    firstByteSeconds: isUnproven
      ? Math.min(firstByteSeconds, resumedFirstByteSeconds)
      : firstByteSeconds,
    // Retries at each module of a failing platform would leave too little time for other platforms.
    retryUntil: isPlatformFailing || isUnproven ? null : pull.endsAt,
    source,
    plan,
    signal,
    span,
    report: (progress) => deps.pulls.reportTask(pullId, task_number, progress),
  }
  const outcome = await readModule(deps, context)
  const { error } = outcome
  if (error !== null && !(error instanceof HubError)) logDefect(pull, error)
  const result = toResult(outcome, {
    ...{ ...started, stop: stopOf(signal), platformError },
    lastWarnings: plan.error === null ? plan.problem : null,
  })
  endSpan(span, result, error)
  const activity = describeTask(plan, source, result)
  await retryWhileUnavailable(stopping, () =>
    deps.pulls.finishTask(pullId, task_number, result, activity),
  )
  deps.pullMetrics.countTask(result, (performance.now() - begun) / 1000)
  if (outcome.full_because === 'first') await updatePlannerStatistics(deps)
  return {
    // A task that has requested nothing proves nothing about the platform.
    state: outcome.isIdle ? 'not_reached' : result.state,
    platformError: result.platform_error,
    isPlatformFailing: error instanceof HubError && error.concernsPlatform,
  }
}

/** Queries are only slower without it, so the pull continues after an error. */
async function updatePlannerStatistics(deps: PullRunnerDeps): Promise<void> {
  await deps.updatePlannerStatistics().catch((error: unknown) => {
    deps.log.warn({ err: error }, 'the statistics of the query planner were not updated')
  })
}

function startSpan(
  tracer: Tracer,
  pullId: number,
  plan: PullTaskPlan,
  platformName: string,
): Span | null {
  return tracer.startSpan('pull task', {
    attributes: {
      'recordhub.pull_id': pullId,
      'recordhub.platform': platformName,
      'recordhub.record_type': plan.record_type,
    },
  })
}

/** The message of an error may quote the platform's response, so the span gets only its code. */
function endSpan(span: Span | null, { state, counts }: PullTaskResult, error: unknown): void {
  if (!span) return
  const entries = Object.entries(counts).map(([name, count]) => [`recordhub.${name}`, count])
  span.setAttributes({ 'recordhub.state': state, ...Object.fromEntries(entries) })
  if (error === null) span.end()
  else span.end(error instanceof HubError ? error.code : 'internal_error')
}

function logDefect({ deps, pullId }: RunningPull, error: unknown): void {
  deps.log.error({ err: error, pull_id: pullId }, 'a pull task ended with an internal error')
}

function stopOf(signal: AbortSignal): PullStop | null {
  if (!signal.aborted) return null
  const { reason } = signal
  return reason === 'timed_out' || reason === 'cancelled' ? reason : 'interrupted'
}
