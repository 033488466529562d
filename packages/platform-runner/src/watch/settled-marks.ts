/**
 * How far back a watch has to look. A change may show later than newer ones: its transaction took a while, or the
 * clock of whoever made it is slow. So a mark (the newest time of change at a moment) counts only once it is as
 * old as a change may be late, by the clock of this process; the times in the rows are never compared with it.
 */
export type SettledMarks = {
  /** What everything up to it has been seen of; null for nothing. */
  settled: () => string | null
  /** Nothing up to the mark is to be looked at. */
  settle: (mark: string | null) => void
  /** Everything up to the mark has been looked at, and it was the newest at that time (milliseconds). */
  note: (mark: string | null, at: number) => void
}

/** @param first a mark that is settled already; null for none. */
export function createSettledMarks(first: string | null, overlapMs: number): SettledMarks {
  let settled = first
  let waiting: { mark: string; at: number }[] = []
  return {
    settled: () => settled,
    settle(mark) {
      settled = mark
    },
    note(mark, at) {
      if (mark !== null) waiting.push({ mark, at })
      const due = waiting.filter((one) => one.at <= at - overlapMs)
      waiting = waiting.slice(due.length)
      settled = due.at(-1)?.mark ?? settled
    },
  }
}
