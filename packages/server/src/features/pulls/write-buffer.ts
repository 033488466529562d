import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { RecordsChunk } from '../../platform-client/records/records-chunk.ts'

/** Maximum size of the chunks that are read ahead while a commit is in progress, in bytes as received. */
const MAX_WAITING_BYTES = 512 * 1024
/** Maximum size of a commit. A larger chunk is committed alone. */
const COMMIT_BYTES = 256 * 1024
/**
 * Commits are smaller while platforms push, because a push waits for the commit in progress: during the first pull of a
 * module, twice as many pushes per second succeed. Without pushes, larger commits are faster on disks that sync slowly.
 */
const COMMIT_BYTES_WITH_PUSHES = 64 * 1024

/**
 * Stores the chunks of a read in their order, several in one commit, while the next ones are read. After a failure
 * nothing more is stored.
 */
export class WriteBuffer {
  readonly #store: (chunks: RecordsChunk[]) => Promise<void>
  readonly #hasPushes: () => boolean
  #waiting: RecordsChunk[] = []
  #waitingBytes = 0
  #storing: Promise<void> | null = null
  #failure: { error: unknown } | null = null

  /** @param hasPushes whether platforms are pushing at the moment. */
  constructor(store: (chunks: RecordsChunk[]) => Promise<void>, hasPushes: () => boolean) {
    this.#store = store
    this.#hasPushes = hasPushes
  }

  /** Resolves when the next chunk may be read. Rejects with the error of a failed commit. */
  async add(chunk: RecordsChunk): Promise<void> {
    this.#throwFailure()
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.bytes.byteLength
    this.#storing ??= this.#storeNext()
    while (this.#storing !== null && this.#waitingBytes > MAX_WAITING_BYTES) await this.#storing
    this.#throwFailure()
  }

  /** Resolves when all chunks are stored. Rejects with the error of a failed commit. */
  async end(): Promise<void> {
    while (this.#storing !== null) await this.#storing
    this.#throwFailure()
  }

  /** Runs one commit, then the next one. Never rejects. */
  async #storeNext(): Promise<void> {
    // Chunks that arrive in the same iteration of the event loop share the commit.
    await yieldToEventLoop()
    const chunks = this.#takeChunks()
    try {
      await this.#store(chunks)
    } catch (error) {
      this.#failure = { error }
      this.#waiting = []
    }
    for (const { bytes } of chunks) this.#waitingBytes -= bytes.byteLength
    this.#storing = this.#waiting.length > 0 ? this.#storeNext() : null
  }

  #takeChunks(): RecordsChunk[] {
    const limit = this.#hasPushes() ? COMMIT_BYTES_WITH_PUSHES : COMMIT_BYTES
    let bytes = 0
    let count = 0
    for (const chunk of this.#waiting) {
      bytes += chunk.bytes.byteLength
      if (count > 0 && bytes > limit) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}
