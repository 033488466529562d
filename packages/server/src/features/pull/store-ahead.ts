import type { RecordsSlice } from '../../outgoing/records-slice.ts'

/** While a commit is under way, so much is read for the next ones; in bytes as they came. */
const AHEAD_BYTES = 512 * 1024
/**
 * Pushes wait for a commit and for what is made ready for it: at 256 KiB they reached half as many a
 * second beside a first load, which gained less than a fifth. What is larger by itself goes alone.
 */
const COMMIT_BYTES = 64 * 1024

/**
 * Stores what a read brings in its order, small slices together, while the next ones are read. After a
 * failure nothing more is stored.
 */
export class StoreAhead {
  readonly #store: (slices: RecordsSlice[]) => Promise<void>
  #waiting: RecordsSlice[] = []
  #waitingBytes = 0
  #storing: Promise<void> | null = null
  #failure: { error: unknown } | null = null

  constructor(store: (slices: RecordsSlice[]) => Promise<void>) {
    this.#store = store
  }

  /** Resolves when the next slice may be read. Rejects with what has failed. */
  async add(slice: RecordsSlice): Promise<void> {
    this.#throwFailure()
    this.#waiting.push(slice)
    this.#waitingBytes += slice.bytes.byteLength
    this.#storing ??= this.#storeNext()
    while (this.#storing !== null && this.#waitingBytes > AHEAD_BYTES) await this.#storing
    this.#throwFailure()
  }

  /** Resolves when everything is stored. Rejects with what has failed. */
  async end(): Promise<void> {
    while (this.#storing !== null) await this.#storing
    this.#throwFailure()
  }

  /** One commit, and then the next one. Never rejects. */
  async #storeNext(): Promise<void> {
    // What came in the same turn goes along.
    await new Promise(setImmediate)
    const slices = this.#takeSlices()
    try {
      await this.#store(slices)
    } catch (error) {
      this.#failure = { error }
      this.#waiting = []
    }
    for (const { bytes } of slices) this.#waitingBytes -= bytes.byteLength
    this.#storing = this.#waiting.length > 0 ? this.#storeNext() : null
  }

  #takeSlices(): RecordsSlice[] {
    let bytes = 0
    let count = 0
    for (const slice of this.#waiting) {
      bytes += slice.bytes.byteLength
      if (count > 0 && bytes > COMMIT_BYTES) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}
