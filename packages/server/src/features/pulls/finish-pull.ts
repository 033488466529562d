import type { PullStop } from '../../domain/pull/pull.ts'
import {
  concludePull,
  endedLike,
  endingInWords,
  type PullEnding,
} from '../../domain/pull/pull-ending.ts'
import type { PullStore } from '../../storage/port/pull-store.ts'

type Pulls = Pick<PullStore, 'listPulls' | 'tallyTasks' | 'finishPull'>

/**
 * Ends a pull as its tasks did, or as what has broken it off, and tells it. That a scheduled pull ended as
 * the one before it is not told.
 */
export async function finishPull(
  pulls: Pulls,
  pullId: number,
  broken: PullStop | null,
): Promise<void> {
  const tasks = await pulls.tallyTasks(pullId)
  const state = broken ?? concludePull(tasks)
  const ending = { state, tasks }
  const before = await findScheduledAfter(pulls, pullId)
  const line = {
    level: state === 'succeeded' ? 'info' : 'warning',
    kind: `pull.${state}`,
    message: `Pull ${pullId} ${endingInWords(ending)}`,
    details: { pull_id: pullId, tasks },
  } as const
  const unfinishedTasks = broken && broken !== 'timed_out' ? broken : 'not_reached'
  const isKnown = before !== null && endedLike(ending, before)
  await pulls.finishPull(pullId, { state, unfinishedTasks }, isKnown ? null : line)
}

/** How the pull before a scheduled one ended; null where there is none, or somebody asked for this one. */
async function findScheduledAfter(pulls: Pulls, pullId: number): Promise<PullEnding | null> {
  const [pull, before] = await pulls.listPulls({ limit: 2, before: pullId + 1 })
  if (pull?.trigger !== 'schedule' || !before) return null
  return { state: before.state, tasks: await pulls.tallyTasks(before.id) }
}
