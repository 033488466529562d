import type { Pull, PullMode, PullTrigger } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { PullDispatcher } from '../../storage/port/pull-dispatcher.ts'
import type { Lease, PullScope, PullStore } from '../../storage/port/pull-store.ts'
import type { ScheduleStore } from '../../storage/port/schedule-store.ts'

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
export function createRequestPull(deps: {
  pulls: Pick<PullStore, 'requestPull'>
  dispatcher: Pick<PullDispatcher, 'dispatch'>
  lease: Lease
}): RequestPull {
  return async (request) => {
    const requested = await deps.pulls.requestPull({ only: null, ...request, lease: deps.lease })
    if (requested.outcome === 'queued') await deps.dispatcher.dispatch(requested.pull.id)
    return requested
  }
}

/** Requests a pull at each time of the schedule, unless the schedule is paused or there is nothing to pull. */
export function createScheduledPull(deps: {
  platforms: Pick<PlatformStore, 'listPlatforms'>
  schedule: Pick<ScheduleStore, 'readPause'>
  requestPull: RequestPull
}): () => Promise<void> {
  return async () => {
    if (await deps.schedule.readPause()) return
    const platforms = await deps.platforms.listPlatforms()
    const isAnyPulled = platforms.some(
      (platform) => platform.status === 'active' && platform.modules_registered > 0,
    )
    if (isAnyPulled) await deps.requestPull({ trigger: 'schedule', requested_by: null })
  }
}

/**
 * The scope of a pull of one platform: the given modules, or all registered ones.
 * @throws HubError `not_found`, `platform_inactive`, `module_not_registered`.
 */
export async function toPullScope(
  platforms: Pick<PlatformStore, 'readPlatform'>,
  platformId: number,
  recordTypes: string[] | null,
): Promise<PullScope> {
  const platform = await platforms.readPlatform(platformId)
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  if (platform.status !== 'active') throw new HubError('platform_inactive')
  const registered = platform.modules.filter((module) => module.registered)
  const known = new Set(registered.map((module) => module.record_type))
  for (const record_type of recordTypes ?? []) {
    if (!known.has(record_type)) throw new HubError('module_not_registered', { record_type })
  }
  return { platform_id: platformId, record_types: recordTypes }
}
