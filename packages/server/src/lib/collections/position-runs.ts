/** Each run takes 24 bytes. */
const MAX_RUNS = 250_000

/**
 * Finds the position at which an id was added. A response usually lists its records in the order in which they were
 * first stored, so ids and positions increase together. Such runs are stored, not each id: a few runs for millions
 * of records. At most six megabytes are used; ids that exceed this limit are not found.
 */
export class PositionRuns {
  readonly #ids: number[] = []
  readonly #positions: number[] = []
  readonly #lengths: number[] = []

  add(id: number, position: number): void {
    const last = this.#ids.length - 1
    const length = this.#lengths[last] ?? 0
    if (id - length === this.#ids[last] && position - length === this.#positions[last]) {
      this.#lengths[last] = length + 1
    } else if (last + 1 < MAX_RUNS) {
      this.#ids.push(id)
      this.#positions.push(position)
      this.#lengths.push(1)
    }
  }

  /** Returns null if the id was not added or exceeded the limit. Scans all runs, so it is for rare cases only. */
  find(id: number): number | null {
    for (const [run, first] of this.#ids.entries()) {
      const offset = id - first
      if (offset < 0 || offset >= (this.#lengths[run] ?? 0)) continue
      return (this.#positions[run] ?? 0) + offset
    }
    return null
  }
}
