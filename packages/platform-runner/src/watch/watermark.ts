/**
 * The change time up to which all changes of a module have been pushed. A change may become visible after newer ones,
 * because its transaction is long or the clock of its writer is slow. Therefore the newest change time of a poll becomes the
 * watermark only when the overlap has passed since this poll. The overlap is measured by the monotonic clock of this
 * process, which is never compared with the times in the rows.
 */
export type Watermark = {
  /** All changes up to this time have been pushed; null for none. */
  current: () => string | null
  /** Sets the watermark, so that the changes up to it are not pushed. */
  reset: (changeTime: string | null) => void
  /**
   * Called after a complete poll.
   * @param changeTime the newest change time of the poll, up to which all changes have been pushed.
   * @param at the start of the poll in milliseconds.
   */
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
