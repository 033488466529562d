import type { PullCounts, PullState, PullTaskState } from '@recordhub/protocol'

export function noCounts(): PullCounts {
  return { received: 0, created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0, missing: 0 }
}

/** How a pull ended whose tasks have all had their turn. */
export function concludePull(
  tasks: PullTaskState[],
): Extract<PullState, 'succeeded' | 'partial' | 'failed'> {
  const succeeded = tasks.filter((state) => state === 'succeeded').length
  if (succeeded === tasks.length) return 'succeeded'
  return succeeded === 0 ? 'failed' : 'partial'
}

/** Why a pull was broken off before its end. */
export type PullStop = 'timed_out' | 'interrupted'

/** The counts that are worth telling: "3 new, 1 changed, 20 unchanged". */
export function countsInWords(counts: PullCounts): string {
  const words: [number, string][] = [
    [counts.created, 'new'],
    [counts.updated, 'changed'],
    [counts.unchanged, 'unchanged'],
    [counts.stale, 'older than what was pushed'],
    [counts.rejected, 'rejected'],
    [counts.missing, 'gone'],
  ]
  const told = words.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return told.length > 0 ? told.join(', ') : 'no records'
}
