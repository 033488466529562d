/** The rows of the list of pulls: days, pulls, and neighbours that are alike, which fold. */
import type { Pull, PullCounts, PullOutcome, Revert } from '@recordhub/protocol'

/** A pull, with the revert that took it or a part of it back. */
type ListedPull = Pull & { revert?: Revert | undefined }

/** The day of a pull, with the sums of its pulls on the page. */
export type PullDay = {
  id: string
  at: string
  pulls: number
  changed: number
  /** The page does not contain all pulls of the day. */
  isPart: boolean
}

/** A pull, or neighbours that are alike, which fold. */
export type FoldedPull<One> = { id: string } & (
  | { kind: 'fold'; pulls: readonly One[]; isOpen: boolean }
  | { kind: 'pull'; pull: One; isFolded: boolean }
)

export type PullRow = { day: PullDay } & FoldedPull<ListedPull>

/** As the hub filters pulls by their outcome. */
const MATCHES: Readonly<Record<PullOutcome, (pull: ListedPull) => boolean>> = {
  changed: (pull) => changesOf(pull) > 0,
  failed: ({ state }) => isFailed(state),
  new_rejections: ({ begun }) => begun.rejected,
  newly_not_listed: ({ begun }) => begun.not_listed,
  reverted: ({ revert }) => revert !== undefined,
}
const FAILED: readonly string[] = ['partial', 'failed', 'timed_out']

/** Whether a pull, or its part of one platform, could not read all modules. */
export function isFailed(state: string): boolean {
  return FAILED.includes(state)
}

/** How many of these pulls have an outcome. */
export function countMatches(pulls: readonly ListedPull[], outcome: PullOutcome): number {
  return pulls.filter((pull) => pull.finished_at !== null && MATCHES[outcome](pull)).length
}

/** Whether there are newer or older pages, which may have more pulls of the first and last day. */
type Page = { hasNewer: boolean; hasOlder: boolean }

/** How many records a pull has changed. */
export function changesOf({ counts }: Pick<Pull, 'counts'>): number {
  return counts.created + counts.updated + counts.missing
}

/**
 * @param pulls newest first.
 * @param isOpen whether the fold with this id is open.
 * @param dayOf the day of a time in the zone of the viewer.
 * @param folds whether neighbours that are alike fold; otherwise each pull has a row of its own.
 */
export function toPullRows(
  pulls: readonly ListedPull[],
  isOpen: (id: string) => boolean,
  page: Page,
  dayOf: (iso: string) => string,
  folds = true,
): PullRow[] {
  const days = split(pulls, (one, next) => dayOf(one.requested_at) === dayOf(next.requested_at))
  const newest = pulls.find(({ finished_at }) => finished_at !== null)
  return days.flatMap((day, index): PullRow[] => {
    const first = day[0]
    if (!first) return []
    const isPart = (index === 0 && page.hasNewer) || (index === days.length - 1 && page.hasOlder)
    const changed = day.filter((pull) => changesOf(pull) > 0).length
    const at = first.requested_at
    const shown: PullDay = { id: dayOf(at), at, pulls: day.length, changed, isPart }
    const keyOf = (one: ListedPull) => (!folds || one === newest ? null : foldKey(one))
    return foldPulls(day, { keyOf, idOf: ({ id }) => id, isOpen }).map((row) => ({
      ...row,
      day: shown,
    }))
  })
}

/**
 * Folds neighbours with the same key; those without one have a row of their own.
 * @param isOpen whether the pulls of the fold with this id are listed, too.
 */
export function foldPulls<One>(
  pulls: readonly One[],
  of: {
    keyOf: (pull: One) => string | null
    idOf: (pull: One) => number
    isOpen: (id: string) => boolean
  },
): FoldedPull<One>[] {
  const { keyOf, idOf, isOpen } = of
  const runs = split(pulls, (one, next) => keyOf(one) !== null && keyOf(one) === keyOf(next))
  return runs.flatMap((run): FoldedPull<One>[] => {
    const rows = (isFolded: boolean) =>
      run.map((pull): FoldedPull<One> => ({ kind: 'pull', id: String(idOf(pull)), pull, isFolded }))
    const last = run.at(-1)
    if (last === undefined || run.length === 1) return rows(false)
    // The oldest one stays when newer pulls join the fold.
    const id = `fold ${idOf(last)}`
    const fold = { kind: 'fold', id, pulls: run } as const
    return isOpen(id) ? [{ ...fold, isOpen: true }, ...rows(true)] : [{ ...fold, isOpen: false }]
  })
}

/** What decides whether a pull, or its part of one platform, is like its neighbours. */
type Foldable = Pick<Pull, 'begun'> & {
  state: string
  counts: PullCounts
  failure: object | string | null
  revert?: Revert | undefined
}

/** What neighbours that fold have in common; null for a pull that has a row of its own. */
export function foldKey(pull: Foldable): string | null {
  const { state, counts, failure, begun } = pull
  if (begun.rejected || begun.not_listed || pull.revert) return null
  const repeated = [counts.rejected, counts.not_listed]
  if (failure) return JSON.stringify([failure, ...repeated])
  return state === 'succeeded' && changesOf(pull) === 0 ? JSON.stringify(repeated) : null
}

/** Divides a list where two neighbours do not belong together. */
function split<Item>(items: readonly Item[], belong: (one: Item, next: Item) => boolean): Item[][] {
  const parts: Item[][] = []
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]
    const part = parts.at(-1)
    if (before !== undefined && part && belong(before, item)) part.push(item)
    else parts.push([item])
  }
  return parts
}
