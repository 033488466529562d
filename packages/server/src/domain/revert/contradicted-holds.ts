/**
 * Finds the holds that a revert ends because it gives a record what they refuse, such as one version of a record of which a
 * whole pull was taken back: pure. Otherwise they would hold a value that the record has.
 */
import { decideHolds, type Hold, type HoldDecision, kindOf, readSides } from './hold.ts'

/** @param next the record as the revert leaves it. */
export function findContradicted(
  holds: readonly Hold[],
  next: { full_name: string; data: string; missing_since: string | null },
): HoldDecision['lifted'] {
  const isMissing = next.missing_since !== null
  const sides = readSides(next.data, next.data)
  // A write of this content would lift the other ones.
  const write = { stored: next, result: next, sides, isWhole: true, sets: () => true }
  const { lifted } = decideHolds(holds, write)
  const others = new Set(lifted.map(({ revert_id, kind }) => nameOf(revert_id, kind)))
  const contradicted = new Map<string, HoldDecision['lifted'][number]>()
  for (const { revert_id, path } of holds) {
    const kind = kindOf(path)
    const name = nameOf(revert_id, kind)
    const isRefused = kind === 'absence' ? isMissing : !others.has(name)
    if (isRefused && !(kind === 'existence' && isMissing))
      contradicted.set(name, { revert_id, kind })
  }
  return [...contradicted.values()]
}

const nameOf = (revertId: number, kind: string) => `${revertId} ${kind}`
