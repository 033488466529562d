import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { PullStop } from '../../domain/pull/pull.ts'
import { HubError } from '../../errors.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type {
  Lease,
  PullStore,
  PullTaskPlan,
  PullTaskResult,
} from '../../storage/port/pull-store.ts'
import { type DetectMissingDeps, detectMissing } from './detect-missing.ts'
import { finishPull } from './finish-pull.ts'
import { type PullTaskContext, type PullTaskParts, runPullTask } from './run-pull-task.ts'
import { describeTask, toResult } from './task-result.ts'

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
  DetectMissingDeps & {
    pulls: PullStore
    platforms: Pick<PlatformStore, 'readSource'>
    lease: Lease
    /** Looks whether a platform's manifest has changed, now and then. Never rejects. */
    refreshManifest: (platformId: number, signal: AbortSignal) => Promise<void>
    timeoutSeconds: number
    /** Waits until a pull's time is over; false where the signal came first. */
    waitForLimit: (milliseconds: number, signal: AbortSignal) => Promise<boolean>
    concurrency: number
    log: FastifyBaseLogger
  }

type RunningParts = PullRunnerParts & {
  /** When the time limit of the pull is reached, by `performance.now()`; null for no retries. */
  endsAt: number | null
  /** The error of the platform's module that failed most recently in this pull; null where none failed. */
  platformError: string | null
}

type TaskEnd = Pick<PullTaskResult, 'state' | 'platform_error'> & {
  /** Whether the module failed for a reason that concerns its whole platform. */
  concernsPlatform: boolean
}

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
  const limitMs = parts.timeoutSeconds * 1000
  const limit = parts.waitForLimit(limitMs, ending.signal).then((isOver) => {
    if (isOver) stop('timed_out')
  })
  const onStopping = () => stop('interrupted')
  stopping.addEventListener('abort', onStopping)
  if (stopping.aborted) onStopping()
  const beating = beat(parts, pullId, ending.signal, () => stop('interrupted'))
  try {
    const endsAt = performance.now() + limitMs
    await runTasks({ ...parts, endsAt, platformError: null }, pullId, plans, ending.signal)
    const broken = stopOf(ending.signal)
    await untilStored(parts.lease, () => finishPull(parts.pulls, pullId, broken))
  } finally {
    stopping.removeEventListener('abort', onStopping)
    ending.abort()
    await Promise.all([beating, limit])
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
  return runPeriodically(HEARTBEAT_MS, signal, async () => {
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
      // Retries at each module of a platform that is down would leave too little time for other platforms.
      let current = parts
      let hasAnswered = false
      const [platformId, ofPlatform] = next
      for (const plan of ofPlatform) {
        if (signal.aborted) return
        const end = await runTaskAlone(current, pullId, plan, signal)
        const endsAt = end.concernsPlatform ? null : parts.endsAt
        current = { ...parts, endsAt, platformError: end.platform_error }
        hasAnswered ||= end.state === 'succeeded'
      }
      if (hasAnswered) await parts.refreshManifest(platformId, signal)
    }
  }
  const workers = Math.min(parts.concurrency, waiting.length)
  await Promise.all(Array.from({ length: workers }, work))
}

/** A task fails alone, even where its own end cannot be stored. */
async function runTaskAlone(...task: Parameters<typeof runTask>): Promise<TaskEnd> {
  try {
    return await runTask(...task)
  } catch (error) {
    const [parts, pullId] = task
    parts.log.error({ err: error, pull_id: pullId }, 'a pull task broke off')
    return { state: 'failed', platform_error: parts.platformError, concernsPlatform: false }
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
  if (!source || !started) {
    return { state: 'not_reached', platform_error: platformError, concernsPlatform: false }
  }
  const context: PullTaskContext = {
    pull_id: pullId,
    ...started,
    endsAt: parts.endsAt,
    source,
    plan,
    signal,
    report: (progress) => parts.pulls.reportTask(pullId, plan.task_number, progress),
  }
  const outcome = await detectMissing(parts, context, await runPullTask(parts, context))
  const read = { ...started, broken: stopOf(signal), platformError }
  const result = toResult(outcome, read)
  const { error } = outcome
  if (error !== null && !(error instanceof HubError)) {
    parts.log.error({ err: error, pull_id: pullId }, 'a pull task met a defect')
  }
  await parts.pulls.finishTask(pullId, plan.task_number, result, describeTask(plan, source, result))
  return { ...result, concernsPlatform: error instanceof HubError && error.concernsPlatform }
}

function stopOf(signal: AbortSignal): PullStop | null {
  if (!signal.aborted) return null
  const { reason } = signal
  return reason === 'timed_out' || reason === 'cancelled' ? reason : 'interrupted'
}
