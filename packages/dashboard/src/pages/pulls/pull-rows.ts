/** The rows of the list of pulls: days, pulls, and neighbours that are alike, which fold. */
import type { Pull, PullOutcome, Revert } from '@recordhub/protocol'

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

export type PullRow = { day: PullDay; id: string } & (
  | { kind: 'fold'; pulls: ListedPull[]; isOpen: boolean }
  | { kind: 'pull'; pull: ListedPull; isFolded: boolean }
)

/** As the hub filters pulls by their outcome. */
const MATCHES: Readonly<Record<PullOutcome, (pull: ListedPull) => boolean>> = {
  changed: (pull) => changesOf(pull) > 0,
  failed: ({ state }) => FAILED.includes(state),
  new_rejections: ({ begun }) => begun.rejected,
  newly_not_listed: ({ begun }) => begun.not_listed,
  reverted: ({ revert }) => revert !== undefined,
}
const FAILED: readonly string[] = ['partial', 'failed', 'timed_out']

/** How many of these pulls have an outcome. */
export function countMatches(pulls: readonly ListedPull[], outcome: PullOutcome): number {
  return pulls.filter((pull) => pull.finished_at !== null && MATCHES[outcome](pull)).length
}

/** Whether there are newer or older pages, which may have more pulls of the first and last day. */
type Page = { hasNewer: boolean; hasOlder: boolean }

/** How many records a pull has changed. */
export function changesOf({ counts }: Pull): number {
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
    const runs = split(day, (one, next) => {
      const key = !folds || one === newest ? null : foldKey(one)
      return key !== null && key === foldKey(next)
    })
    return runs.flatMap((run) => rowsOf(run, shown, isOpen))
  })
}

function rowsOf(run: ListedPull[], day: PullDay, isOpen: (id: string) => boolean): PullRow[] {
  const rows = (isFolded: boolean) =>
    run.map((pull): PullRow => ({ kind: 'pull', day, id: String(pull.id), pull, isFolded }))
  if (run.length === 1) return rows(false)
  // The oldest one stays when newer pulls join the fold.
  const id = `fold ${run.at(-1)?.id}`
  const fold = { kind: 'fold', day, id, pulls: run } as const
  return isOpen(id) ? [{ ...fold, isOpen: true }, ...rows(true)] : [{ ...fold, isOpen: false }]
}

/** What neighbours that fold have in common; null for a pull that has a row of its own. */
function foldKey(pull: ListedPull): string | null {
  const { state, counts, failure, begun } = pull
  if (begun.rejected || begun.not_listed || pull.revert) return null
  const repeated = `${counts.rejected} ${counts.not_listed}`
  if (failure) return `${failure.platforms} ${failure.platform_title} ${failure.error} ${repeated}`
  return state === 'succeeded' && changesOf(pull) === 0 ? repeated : null
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
