/** Requests pulls, by operators and by the schedule, and cancels them. */
import type { Pull, PullMode, PullTrigger } from '@recordhub/protocol'
import { found, HubError } from '../../errors.ts'
import type { Lease, PullDispatcher, PullScope } from '../../storage/port/pull-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { PullRunner } from './run-pull.ts'

type PullRequest = {
  trigger: PullTrigger
  requested_by: string | null
  /** All platforms by default. */
  only?: PullScope
  /** `auto` by default. */
  mode?: PullMode
}
export type PullRequested = { outcome: 'queued' | 'already_running'; pull: Pull }
export type RequestPull = (request: PullRequest) => Promise<PullRequested>

/** Queues a pull over all active platforms, unless one is queued or running. */
export function createRequestPull(
  deps: Pick<FeatureDeps, 'pulls'> & {
    pullDispatcher: Pick<PullDispatcher, 'dispatch'>
    lease: Lease
  },
): RequestPull {
  return async (request) => {
    const requested = await deps.pulls.requestPull({ only: null, ...request, lease: deps.lease })
    if (requested.outcome === 'queued') await deps.pullDispatcher.dispatch(requested.pull.id)
    return requested
  }
}

/** Requests a pull at each time of the schedule, unless the schedule is paused or there is nothing to pull. */
export function createScheduledPull(
  deps: Pick<FeatureDeps, 'platforms' | 'schedule'> & { requestPull: RequestPull },
): () => Promise<void> {
  return async () => {
    if (await deps.schedule.readPause()) return
    const platforms = await deps.platforms.listActive()
    if (platforms.some(({ has_modules }) => has_modules))
      await deps.requestPull({ trigger: 'schedule', requested_by: null })
  }
}

/**
 * The scope of a pull of one platform: the given modules, or all registered ones.
 * @throws HubError `not_found`, `platform_inactive`, `module_not_registered`.
 */
export async function toPullScope(
  platforms: FeatureDeps['platforms'],
  platformId: number,
  recordTypes: string[] | null,
): Promise<PullScope> {
  const platform = found('platform', await platforms.readPlatform(platformId))
  if (platform.status !== 'active') throw new HubError('platform_inactive')
  const registered = platform.modules.filter((module) => module.registered)
  const known = new Set(registered.map((module) => module.record_type))
  for (const record_type of recordTypes ?? []) {
    if (!known.has(record_type)) throw new HubError('module_not_registered', { record_type })
  }
  return { platform_id: platformId, record_types: recordTypes }
}

/**
 * Ends a pull immediately, in whichever process it runs. Records that it reads afterwards are not stored, and the next
 * pull may start. The process that runs it closes its connections within two seconds.
 * @throws HubError `not_found`, `pull_over`.
 */
export async function cancelPull(
  { pulls, runner }: Pick<FeatureDeps, 'pulls'> & { runner: Pick<PullRunner, 'cancel'> },
  pullId: number,
  actor: string,
): Promise<Pull> {
  const ended = await pulls.finishPull(
    pullId,
    { state: 'cancelled', unfinishedTasks: 'cancelled' },
    {
      level: 'info',
      kind: 'pull.cancelled',
      actor,
      message: `Pull ${pullId} was cancelled. Records that it stored remain.`,
      details: { pull_id: pullId },
    },
  )
  runner.cancel(pullId)
  const pull = found('pull', await pulls.readPull(pullId))
  if (!ended) throw new HubError('pull_over', { state: pull.state })
  return pull
}
