import type { Replay, ReplayStepResponse } from '@recordhub/protocol'

/** The progress of a bulk replay or its dry run, over all steps. */
export type ReplayRun = {
  counts: ReplayCounts
  done: number
  total: number
  /** The reasons of repeated rejections, the most frequent first. */
  reasons: { message: string; count: number }[]
}

export type ReplayCounts = ReplayStepResponse['counts']

export const NO_COUNTS: ReplayCounts = {
  created: 0,
  updated: 0,
  unchanged: 0,
  stale: 0,
  rejected: 0,
}

export const EMPTY_RUN: ReplayRun = {
  counts: NO_COUNTS,
  done: 0,
  total: 0,
  reasons: [],
}

type Step = Pick<ReplayStepResponse, 'counts' | 'replays' | 'remaining'>

export function addStep(run: ReplayRun, { counts, replays, remaining }: Step): ReplayRun {
  const done = run.done + replays.length
  return {
    counts: addCounts(run.counts, counts),
    done,
    total: done + remaining,
    reasons: addReasons(run.reasons, replays),
  }
}

export function addCounts(one: ReplayCounts, other: ReplayCounts): ReplayCounts {
  return {
    created: one.created + other.created,
    updated: one.updated + other.updated,
    unchanged: one.unchanged + other.unchanged,
    stale: one.stale + other.stale,
    rejected: one.rejected + other.rejected,
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

/** The number of pushes that are not rejected again. */
export function acceptedOf({ done, counts }: ReplayRun): number {
  return done - counts.rejected
}

export function percentOf({ done, total }: ReplayRun): number {
  return total === 0 ? 0 : Math.floor((100 * done) / total)
}
