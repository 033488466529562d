import type { PullStop } from '../../domain/pull/pull.ts'
import {
  concludePull,
  formatEnding,
  isSameEnding,
  type PullEnding,
} from '../../domain/pull/pull-ending.ts'
import type { EndState, PullStore, PullTaskResult } from '../../storage/port/pull-store.ts'

/** How a pull ended. `unfinishedTasks`: the state of the tasks that did not end before; `skipped`: their number. */
type FinishedPull = {
  state: EndState
  unfinishedTasks: PullTaskResult['state']
  skipped: number
}

type Pulls = Pick<PullStore, 'listPulls' | 'tallyTasks' | 'finishPull'>

/**
 * Ends a pull in the state that follows from its tasks, or from what stopped it. The activity reports the end, except
 * that of a scheduled pull that ended like the one before it.
 */
export async function finishPull(
  pulls: Pulls,
  pullId: number,
  stop: PullStop | null,
): Promise<FinishedPull> {
  const tasks = await pulls.tallyTasks(pullId)
  const state = stop ?? concludePull(tasks)
  const ending = { state, tasks }
  const before = await findEndingBefore(pulls, pullId)
  const activity = {
    level: state === 'succeeded' ? 'info' : 'warning',
    kind: `pull.${state}`,
    message: `Pull ${pullId} ${formatEnding(ending)}`,
    details: { pull_id: pullId, tasks },
  } as const
  const unfinishedTasks = stop && stop !== 'timed_out' ? stop : 'not_reached'
  const isKnown = before !== null && isSameEnding(ending, before)
  await pulls.finishPull(pullId, { state, unfinishedTasks }, isKnown ? null : activity)
  return { state, unfinishedTasks, skipped: tasks.skipped ?? 0 }
}

/** The ending of the pull before a scheduled one; null without one, and for a pull that was not scheduled. */
async function findEndingBefore(pulls: Pulls, pullId: number): Promise<PullEnding | null> {
  const [pull, before] = await pulls.listPulls({ limit: 2, before: pullId + 1 })
  if (pull?.trigger !== 'schedule' || !before) return null
  return { state: before.state, tasks: await pulls.tallyTasks(before.id) }
}
