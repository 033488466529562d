/**
 * The position up to which a watch has pushed all changes of a module. A change may become visible after newer ones,
 * because its transaction took long or the clock of its writer is slow. So a mark (the newest change time at a moment)
 * becomes the watermark only once it is as old as the overlap, by the clock of this process. The times in the rows are
 * never compared with that clock.
 */
export type Watermark = {
  /** All changes up to this time have been pushed; null for none. */
  current: () => string | null
  /** Skips all changes up to a mark. */
  reset: (mark: string | null) => void
  /** Records that all changes up to the mark have been pushed, and that it was the newest at that time (milliseconds). */
  advance: (mark: string | null, at: number) => void
}

/** @param initial the saved watermark; null for none. */
export function createWatermark(initial: string | null, overlapMs: number): Watermark {
  let current = initial
  let pending: { mark: string; at: number }[] = []
  return {
    current: () => current,
    reset(mark) {
      current = mark
    },
    advance(mark, at) {
      if (mark !== null) pending.push({ mark, at })
      const due = pending.filter((one) => one.at <= at - overlapMs)
      pending = pending.slice(due.length)
      current = due.at(-1)?.mark ?? current
    },
  }
}
