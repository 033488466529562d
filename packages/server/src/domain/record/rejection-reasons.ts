/** Maximum number of listed reasons. The rejected records are stored with their reasons as well. */
const MAX_REASONS = 5

/** Counts why elements of one read were rejected, by reason, in the order of their first occurrence. */
export class RejectionReasons {
  readonly #counts = new Map<string, number>()
  #others = 0

  add(reason: string): void {
    const count = this.#counts.get(reason)
    if (count === undefined && this.#counts.size >= MAX_REASONS) this.#others += 1
    else this.#counts.set(reason, (count ?? 0) + 1)
  }

  /** @param stored the number of rejected elements that were stored. */
  toMessages(stored: number): string[] {
    const reasons = [...this.#counts]
    const all = reasons.reduce((sum, [, count]) => sum + count, this.#others)
    return [
      ...reasons.map(([reason, count]) => `${count} rejected: ${reason}`),
      ...(this.#others > 0 ? [`${this.#others} rejected for other reasons.`] : []),
      ...(stored < all
        ? [`Only the first ${stored} of the ${all} rejected records are stored.`]
        : []),
    ]
  }
}

/**
 * Describes a duplicate: an element whose reference number an earlier element of the same read has. Positions are
 * those in `records`, from 1, counted over pages.
 * @param reference null if the message must not contain it.
 * @param positions `first` is null if it is unknown.
 */
export function describeDuplicate(
  reference: string | null,
  { first, position }: { first: number | null; position: number },
): string {
  const [firstAt, at] = [first, position].map((number) => number?.toLocaleString('en-US'))
  const subject = reference === null ? 'This reference number' : `Reference number ${reference}`
  const sent = firstAt === undefined ? 'earlier in this pull' : `at position ${firstAt}`
  return `${subject} was already sent ${sent}; this one is at position ${at}. The first one was kept.`
}
