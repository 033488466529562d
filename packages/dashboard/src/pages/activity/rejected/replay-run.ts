import type { Replay, ReplayStepAnswer } from '@recordhub/protocol'

/** How far a replay by filter is, or a dry run of it, over all of its steps. */
export type ReplayRun = {
  counts: ReplayStepAnswer['counts']
  done: number
  total: number
  /** Why some are refused again, the most frequent first. */
  reasons: { message: string; count: number }[]
}

export const NOTHING_YET: ReplayRun = {
  counts: { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 },
  done: 0,
  total: 0,
  reasons: [],
}

type Step = Pick<ReplayStepAnswer, 'counts' | 'replays' | 'remaining'>

export function addStep(run: ReplayRun, { counts, replays, remaining }: Step): ReplayRun {
  const done = run.done + replays.length
  return {
    counts: {
      created: run.counts.created + counts.created,
      updated: run.counts.updated + counts.updated,
      unchanged: run.counts.unchanged + counts.unchanged,
      stale: run.counts.stale + counts.stale,
      rejected: run.counts.rejected + counts.rejected,
    },
    done,
    total: done + remaining,
    reasons: addReasons(run.reasons, replays),
  }
}

function addReasons(known: ReplayRun['reasons'], replays: Replay[]): ReplayRun['reasons'] {
  const counts = new Map(known.map(({ message, count }) => [message, count]))
  for (const { outcome, message } of replays) {
    if (outcome === 'rejected') counts.set(message, (counts.get(message) ?? 0) + 1)
  }
  return [...counts]
    .map(([message, count]) => ({ message, count }))
    .sort((one, other) => other.count - one.count)
}

/** How many are not refused again. */
export function acceptedOf({ done, counts }: ReplayRun): number {
  return done - counts.rejected
}

export function percentOf({ done, total }: ReplayRun): number {
  return total === 0 ? 0 : Math.floor((100 * done) / total)
}
