import type { Pull } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { PullStore } from '../../storage/port/pull-store.ts'
import type { PullRunner } from './run-pull.ts'

export type CancelPull = (pullId: number, actor: string) => Promise<Pull>

/**
 * Ends a pull immediately, in whichever process it runs. Records that it reads afterwards are not stored, and the next
 * pull may start. The process that runs it closes its connections within two seconds.
 * @throws HubError `not_found`, `pull_over`.
 */
export function createCancelPull(deps: {
  pulls: Pick<PullStore, 'finishPull' | 'readPull'>
  runner: Pick<PullRunner, 'cancel'>
}): CancelPull {
  return async (pullId, actor) => {
    const ended = await deps.pulls.finishPull(
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
    deps.runner.cancel(pullId)
    const pull = await deps.pulls.readPull(pullId)
    if (!pull) throw new HubError('not_found', { what: 'pull' })
    if (!ended) throw new HubError('pull_over', { state: pull.state })
    return pull
  }
}
