/** The removal of a platform or of the records of a module: its request, and the worker that deletes them. */
import type { Removal } from '@recordhub/protocol'
import { formatCount, logChange, type Requester } from '../../domain/activity/activity.ts'
import { found, HubError } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/**
 * Removes a platform: its keys immediately, its records in the background.
 * @throws HubError `not_found`; `name_differs` if the typed name differs from the platform's.
 */
export async function removePlatform(
  deps: Pick<FeatureDeps, 'platforms' | 'clock'> & {
    deletionWorker: Pick<DeletionWorker, 'wake'>
  },
  request: { platform_id: number; platform_name: string },
  requester: Requester,
): Promise<Removal> {
  const platform = found('platform', await deps.platforms.readPlatform(request.platform_id))
  const { platform_name, display_title, records } = platform
  if (request.platform_name !== platform_name) {
    throw new HubError('name_differs', { what: 'platform_name' })
  }
  const details = { platform_id: platform.id, records }
  const removed = await deps.platforms.removePlatform(
    { ...request, requested_by: requester.actor, at: deps.clock.now().toISOString() },
    logChange(requester, {
      ...{ level: 'warning', kind: 'platform.removed', details },
      message: `${display_title} was removed. Its keys are no longer valid. Its data is being deleted: ${formatCount(records, 'record')}`,
      ...{ action: 'platform.remove', target: platform_name },
    }),
  )
  const removal = found('platform', removed)
  deps.deletionWorker.wake()
  return removal
}

/**
 * Deletes the records of a module that is no longer registered, in the background.
 * @throws HubError `not_found`; `name_differs` if the typed record_type differs from the module's; `module_registered`.
 */
export async function removeModuleRecords(
  deps: Pick<FeatureDeps, 'removals'> & { deletionWorker: Pick<DeletionWorker, 'wake'> },
  request: { platform_id: number; record_type: string; typed: string },
  requester: Requester,
): Promise<Removal> {
  const { typed, ...module } = request
  const preview = found('module', await deps.removals.previewModule(module))
  const { platform_name, record_type, records } = preview
  if (typed !== record_type) throw new HubError('name_differs', { what: 'record_type' })
  const details = { record_type, records }
  const removal = await deps.removals.removeModuleRecords(
    { ...module, requested_by: requester.actor },
    logChange(requester, {
      ...{ level: 'warning', kind: 'module.records_deleted', details },
      message: `The data of ${record_type} of ${platform_name} is being deleted: ${formatCount(records, 'record')}`,
      platform: { platform_id: module.platform_id, platform_name },
      ...{ action: 'module.delete_records', target: platform_name },
    }),
  )
  if (removal === 'registered') throw new HubError('module_registered', { record_type })
  const requested = found('module', removal)
  deps.deletionWorker.wake()
  return requested
}

/** Deletions that another node has left unfinished are resumed after this time. */
const POLL_EVERY_MS = 5000

/** Deletes the data of removed platforms and modules in the background, in steps. */
export type DeletionWorker = {
  /** Resumes unfinished deletions, and polls for new ones. */
  start: () => void
  /** Starts a deletion that was just requested. */
  wake: () => void
  /** Resolves when the current step has ended. The next start resumes the deletion. */
  stop: () => Promise<void>
}

export function createDeletionWorker(
  deps: Pick<FeatureDeps, 'removals'> & { onError: (error: unknown) => void },
): DeletionWorker {
  const stopping = new AbortController()
  let polling = Promise.resolve()
  let working = Promise.resolve()
  let isWorking = false
  let isRequested = false

  async function work(): Promise<void> {
    while (isRequested && !stopping.signal.aborted) {
      isRequested = false
      while (!stopping.signal.aborted && (await deps.removals.runNextStep()))
        await yieldToEventLoop()
    }
  }

  function wake(): void {
    isRequested = true
    if (isWorking) return
    isWorking = true
    working = work()
      // The next poll tries again.
      .catch(deps.onError)
      .finally(() => {
        isWorking = false
      })
  }

  return {
    wake,
    start() {
      wake()
      polling = runPeriodically(POLL_EVERY_MS, stopping.signal, async () => wake())
    },
    async stop() {
      stopping.abort()
      await polling
      await working
    },
  }
}
