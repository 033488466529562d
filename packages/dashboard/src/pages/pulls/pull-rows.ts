/** The rows of the list of pulls: days, pulls, and neighbours that are alike, which fold. */
import type { Pull, Revert } from '@recordhub/protocol'

/** A pull, with the revert that took it or a part of it back. */
type ListedPull = Pull & { revert?: Revert | undefined }

/** What began in a pull, if that is known. Later pulls repeat the numbers until someone decides. */
type Begun = { rejected: boolean; notListed: boolean; isKnown: boolean }

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
  | { kind: 'pull'; pull: ListedPull; begun: Begun; isFolded: boolean }
)

/** What a list of pulls can be filtered by. */
const MATCHES = {
  // As the hub filters them.
  changed: ({ pull }) => pull.finished_at !== null && changesOf(pull) > 0,
  failed: ({ pull: { state } }) => FAILED.includes(state),
  rejected: ({ begun }) => begun.rejected,
  not_listed: ({ begun }) => begun.notListed,
  reverted: ({ pull }) => pull.revert !== undefined,
} satisfies Record<string, (entry: Entry) => boolean>
const FAILED: readonly string[] = ['partial', 'failed', 'timed_out']

export type PullFilter = keyof typeof MATCHES

/** Whether a filter is about what began in a pull. */
export function isBeginning(filter: PullFilter): boolean {
  return filter === 'rejected' || filter === 'not_listed'
}

/** What a page of pulls contains. */
type Page = {
  /** There are newer or older pages, which may have more pulls of the first and last day. */
  hasNewer: boolean
  hasOlder: boolean
  /** Whether no pulls between those of the page are left out, so that what began in one of them is known. */
  hasAllBetween: boolean
  /** The pages contain every older pull, unless they were deleted. */
  knowsOlder: boolean
}

/** How many of these pulls each filter leaves. */
export function countMatches(
  pulls: readonly ListedPull[],
  page: Page,
): Readonly<Record<PullFilter, number>> {
  const all = entriesOf(pulls, page)
  const count = (filter: PullFilter) => all.filter(MATCHES[filter]).length
  return {
    changed: count('changed'),
    failed: count('failed'),
    rejected: count('rejected'),
    not_listed: count('not_listed'),
    reverted: count('reverted'),
  }
}

/** How many records a pull has changed. */
export function changesOf({ counts }: Pull): number {
  return counts.created + counts.updated + counts.missing
}

/**
 * @param pulls newest first.
 * @param isOpen whether the fold with this id is open.
 * @param dayOf the day of a time in the zone of the viewer.
 * @param filter null for all pulls. What began in a pull is known from all of them.
 * @param folds whether neighbours that are alike fold; otherwise each pull has a row of its own.
 */
export function toPullRows(
  pulls: readonly ListedPull[],
  isOpen: (id: string) => boolean,
  page: Page,
  dayOf: (iso: string) => string,
  filter: PullFilter | null = null,
  folds = true,
): PullRow[] {
  const entries = entriesOf(pulls, page)
  const all = filter === null ? entries : entries.filter(MATCHES[filter])
  const days = split(
    all,
    (one, next) => dayOf(one.pull.requested_at) === dayOf(next.pull.requested_at),
  )
  const newest = pulls.find(({ finished_at }) => finished_at !== null)
  return days.flatMap((day, index): PullRow[] => {
    const first = day[0]
    if (!first) return []
    const isPart = (index === 0 && page.hasNewer) || (index === days.length - 1 && page.hasOlder)
    const changed = day.filter(({ pull }) => changesOf(pull) > 0).length
    const at = first.pull.requested_at
    const shown: PullDay = { id: dayOf(at), at, pulls: day.length, changed, isPart }
    const runs = split(day, (one, next) => {
      const key = !folds || one.pull === newest ? null : foldKey(one)
      return key !== null && key === foldKey(next)
    })
    return runs.flatMap((run) => rowsOf(run, shown, isOpen))
  })
}

type Entry = { pull: ListedPull; begun: Begun }

function entriesOf(pulls: readonly ListedPull[], page: Page): Entry[] {
  const { hasOlder, hasAllBetween, knowsOlder } = page
  return pulls.map((pull, index) => ({
    pull,
    begun: hasAllBetween
      ? begunIn(pull, pulls.slice(index + 1), knowsOlder && !hasOlder)
      : { rejected: false, notListed: false, isKnown: false },
  }))
}

function rowsOf(run: Entry[], day: PullDay, isOpen: (id: string) => boolean): PullRow[] {
  const rows = (isFolded: boolean) =>
    run.map((one): PullRow => ({ kind: 'pull', day, id: String(one.pull.id), ...one, isFolded }))
  if (run.length === 1) return rows(false)
  // The oldest one stays when newer pulls join the fold.
  const id = `fold ${run.at(-1)?.pull.id}`
  const fold = { kind: 'fold', day, id, pulls: run.map(({ pull }) => pull) } as const
  return isOpen(id) ? [{ ...fold, isOpen: true }, ...rows(true)] : [{ ...fold, isOpen: false }]
}

/** What neighbours that fold have in common; null for a pull that has a row of its own. */
function foldKey({ pull, begun }: Entry): string | null {
  const { state, counts, failure } = pull
  if (begun.rejected || begun.notListed || pull.revert) return null
  const repeated = `${counts.rejected} ${counts.not_listed}`
  if (failure) return `${failure.platforms} ${failure.platform_title} ${failure.error} ${repeated}`
  return state === 'succeeded' && changesOf(pull) === 0 ? repeated : null
}

/**
 * Compares a pull with the one before it that read as many modules to the end, since a pull of one platform says nothing
 * about others. If the list ends before one, nothing is known to have begun, unless it ends with the first pull of the hub.
 */
function begunIn(pull: Pull, older: readonly Pull[], endsWithFirst: boolean): Begun {
  const before = older.find(
    ({ state, progress }) =>
      ['succeeded', 'partial', 'failed'].includes(state) &&
      progress.tasks_total >= pull.progress.tasks_total,
  )?.counts
  const isKnown = before !== undefined || endsWithFirst
  return {
    rejected: isKnown && pull.counts.rejected > (before?.rejected ?? 0),
    notListed: isKnown && pull.counts.not_listed > (before?.not_listed ?? 0),
    isKnown,
  }
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
