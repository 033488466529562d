import type { ReplayStepAnswer } from '@recordhub/protocol'

export type ReplayCounts = ReplayStepAnswer['counts']

export const NO_REPLAYS: ReplayCounts = {
  created: 0,
  updated: 0,
  unchanged: 0,
  stale: 0,
  rejected: 0,
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

/** `12 new, 1 changed, 3 older than what is stored` */
export function countsInWords(counts: ReplayCounts): string {
  const told: [number, string][] = [
    [counts.created, 'new'],
    [counts.updated, 'changed'],
    [counts.unchanged, 'unchanged'],
    [counts.stale, 'older than what is stored'],
    [counts.rejected, 'refused again'],
  ]
  const words = told.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return words.length > 0 ? words.join(', ') : 'nothing to replay'
}
