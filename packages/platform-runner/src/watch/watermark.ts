/**
 * The position up to which a watch has pushed all changes of a module. A change may become visible after newer ones,
 * because its transaction took long or the clock of its writer is slow. So a change time that was the newest at some moment
 * becomes the watermark only once it is as old as the overlap, by the clock of this process. The times in the rows are
 * never compared with that clock.
 */
export type Watermark = {
  /** All changes up to this time have been pushed; null for none. */
  current: () => string | null
  /** Skips all changes up to a change time. */
  reset: (changeTime: string | null) => void
  /** Records that all changes up to the change time have been pushed, and that it was the newest at that time (milliseconds). */
  advance: (changeTime: string | null, at: number) => void
}

/** @param initial the saved watermark; null for none. */
export function createWatermark(initial: string | null, overlapMs: number): Watermark {
  let current = initial
  let pending: { changeTime: string; at: number }[] = []
  return {
    current: () => current,
    reset(changeTime) {
      current = changeTime
    },
    advance(changeTime, at) {
      if (changeTime !== null) pending.push({ changeTime, at })
      const due = pending.filter((one) => one.at <= at - overlapMs)
      pending = pending.slice(due.length)
      current = due.at(-1)?.changeTime ?? current
    },
  }
}
