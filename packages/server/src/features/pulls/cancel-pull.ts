import type { Pull } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { PullStore } from '../../storage/port/pull-store.ts'
import type { PullRunner } from './run-pull.ts'

export type CancelPull = (pullId: number, actor: string) => Promise<Pull>

/**
 * Ends a pull at once, wherever it runs: from then on nothing that it still reads is stored, and the
 * next one may start. The process that runs it breaks off what it has open within a second or two.
 * @throws HubError `not_found`, `pull_over`.
 */
export function createCancelPull(parts: {
  pulls: Pick<PullStore, 'finishPull' | 'readPull'>
  runner: Pick<PullRunner, 'cancel'>
}): CancelPull {
  return async (pullId, actor) => {
    const ended = await parts.pulls.finishPull(
      pullId,
      { state: 'cancelled', unfinishedTasks: 'cancelled' },
      {
        level: 'info',
        kind: 'pull.cancelled',
        actor,
        message: `Pull ${pullId} was cancelled. What it stored stays.`,
        details: { pull_id: pullId },
      },
    )
    parts.runner.cancel(pullId)
    const pull = await parts.pulls.readPull(pullId)
    if (!pull) throw new HubError('not_found', { what: 'pull' })
    if (!ended) throw new HubError('pull_over', { state: pull.state })
    return pull
  }
}
