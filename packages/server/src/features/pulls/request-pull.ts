import type { Pull, PullTrigger } from '@recordhub/protocol'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { PullDispatcher } from '../../storage/port/pull-dispatcher.ts'
import type { Lease, PullScope, PullStore } from '../../storage/port/pull-store.ts'
import type { ScheduleStore } from '../../storage/port/schedule-store.ts'

type PullRequest = {
  trigger: PullTrigger
  requested_by: string | null
  /** All platforms where it is left out. */
  only?: PullScope
}
export type PullRequested = { outcome: 'queued' | 'already_running'; pull: Pull }
export type RequestPull = (request: PullRequest) => Promise<PullRequested>

/** Queues a pull over all active platforms, unless one is queued or running. */
export function createRequestPull(parts: {
  pulls: Pick<PullStore, 'requestPull'>
  dispatcher: Pick<PullDispatcher, 'dispatch'>
  lease: Lease
}): RequestPull {
  return async (request) => {
    const requested = await parts.pulls.requestPull({ only: null, ...request, lease: parts.lease })
    if (requested.outcome === 'queued') await parts.dispatcher.dispatch(requested.pull.id)
    return requested
  }
}

/**
 * What happens at each time of the schedule: a pull, if the schedule is not paused, there is anything to
 * pull and none is under way.
 */
export function createScheduledPull(parts: {
  platforms: Pick<PlatformStore, 'listPlatforms'>
  schedule: Pick<ScheduleStore, 'readPause'>
  requestPull: RequestPull
}): () => Promise<void> {
  return async () => {
    if (await parts.schedule.readPause()) return
    const platforms = await parts.platforms.listPlatforms()
    const isAnyPulled = platforms.some(
      (platform) => platform.status === 'active' && platform.modules_registered > 0,
    )
    if (isAnyPulled) await parts.requestPull({ trigger: 'schedule', requested_by: null })
  }
}
