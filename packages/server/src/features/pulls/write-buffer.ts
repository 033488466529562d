import type { RecordsChunk } from '../../platform-client/records/records-chunk.ts'

/** While a commit is under way, so much is read for the next ones; in bytes as they came. */
const AHEAD_BYTES = 512 * 1024
/** What is larger by itself goes alone. */
const COMMIT_BYTES = 256 * 1024
/**
 * Pushes wait for a commit and for what is made ready for it: beside a first load they reach twice as many
 * a second as with large commits, which a disk that is slow to sync needs where there are none.
 */
const COMMIT_BYTES_BESIDE_PUSHES = 64 * 1024

/**
 * Stores what a read brings in its order, slices together, while the next ones are read. After a
 * failure nothing more is stored.
 */
export class WriteBuffer {
  readonly #store: (slices: RecordsChunk[]) => Promise<void>
  readonly #hasPushes: () => boolean
  #waiting: RecordsChunk[] = []
  #waitingBytes = 0
  #storing: Promise<void> | null = null
  #failure: { error: unknown } | null = null

  /** @param hasPushes whether pushes come at the time. */
  constructor(store: (slices: RecordsChunk[]) => Promise<void>, hasPushes: () => boolean) {
    this.#store = store
    this.#hasPushes = hasPushes
  }

  /** Resolves when the next slice may be read. Rejects with what has failed. */
  async add(slice: RecordsChunk): Promise<void> {
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

  #takeSlices(): RecordsChunk[] {
    const most = this.#hasPushes() ? COMMIT_BYTES_BESIDE_PUSHES : COMMIT_BYTES
    let bytes = 0
    let count = 0
    for (const slice of this.#waiting) {
      bytes += slice.bytes.byteLength
      if (count > 0 && bytes > most) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}
