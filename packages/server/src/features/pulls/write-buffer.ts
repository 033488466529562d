import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { RecordsChunk } from '../../platform-client/records/records-chunk.ts'

/** Limits of a commit, in bytes as received. A larger chunk is committed alone. */
const MIN_COMMIT_BYTES = 256 * 1024
const MAX_COMMIT_BYTES = 1024 * 1024
/** Each element takes memory and time, however small it is. No record is much smaller. */
const MIN_ELEMENT_BYTES = 128
/** How long a commit of more than the minimum may take. */
const COMMIT_MS = 100
/**
 * Commits are smaller while platforms push, because a push waits for the commit in progress: during the first pull of a
 * module, twice as many pushes per second succeed.
 */
const COMMIT_BYTES_WITH_PUSHES = 64 * 1024
/** One batch is stored, one is prepared and one is read. */
const HELD_BATCHES = 3

export type WriteBufferDeps<Prepared> = {
  /** The work that does not depend on the previous batch. It runs while the previous batch is stored. */
  prepare: (chunks: RecordsChunk[]) => Promise<Prepared>
  /** Stores a batch in one commit. */
  store: (prepared: Prepared, chunks: RecordsChunk[]) => Promise<void>
  /** Whether platforms are pushing at the moment. */
  hasPushes: () => boolean
  /** A monotonic time in milliseconds. */
  now: () => number
}

/** What a chunk counts of the limits. */
function sizeOf({ bytes, starts }: RecordsChunk): number {
  return Math.max(bytes.byteLength, MIN_ELEMENT_BYTES * starts.length)
}

type Batch<Prepared> = { chunks: RecordsChunk[]; bytes: number; prepared: Promise<Prepared> }

/**
 * Stores the chunks of a read in their order, several in one commit, while the next ones are read. After a failure
 * nothing more is stored.
 *
 * States of a chunk:
 *   waiting   It waits for its batch. A batch is complete when it has reached the limit of a commit, or when the
 *             previous commit has ended: so batches grow while commits are slow.
 *   prepared  Its batch is complete and is prepared. At most one batch is in this state.
 *   storing   Its batch is stored. At most one batch is in this state.
 */
export class WriteBuffer<Prepared> {
  readonly #deps: WriteBufferDeps<Prepared>
  #waiting: RecordsChunk[] = []
  #waitingBytes = 0
  /** The bytes of the chunks in all states. */
  #heldBytes = 0
  #prepared: Batch<Prepared> | null = null
  #storing: Promise<void> | null = null
  #failure: { error: unknown } | null = null
  /** The limit of a commit without pushes: the bytes that the last commit would have stored in COMMIT_MS. */
  #commitBytes = MIN_COMMIT_BYTES

  constructor(deps: WriteBufferDeps<Prepared>) {
    this.#deps = deps
  }

  /** Resolves when the next chunk may be read. Rejects with the error of a failed commit. */
  async add(chunk: RecordsChunk): Promise<void> {
    this.#throwFailure()
    this.#waiting.push(chunk)
    this.#waitingBytes += sizeOf(chunk)
    this.#heldBytes += sizeOf(chunk)
    this.#prepareIfFull()
    this.#storing ??= this.#storeNext()
    while (this.#storing !== null && this.#heldBytes > HELD_BATCHES * this.#limit) {
      await this.#storing
    }
    this.#throwFailure()
  }

  /** Resolves when all chunks are stored. Rejects with the error of a failed commit. */
  async end(): Promise<void> {
    while (this.#storing !== null) await this.#storing
    this.#throwFailure()
  }

  get #limit(): number {
    return this.#deps.hasPushes() ? COMMIT_BYTES_WITH_PUSHES : this.#commitBytes
  }

  #prepareIfFull(): void {
    if (this.#waitingBytes >= this.#limit) this.#prepared ??= this.#takeBatch()
  }

  /** Stores one batch, then the next one. Never rejects. */
  async #storeNext(): Promise<void> {
    // Chunks that arrive in the same iteration of the event loop share the commit.
    await yieldToEventLoop()
    const { chunks, bytes, prepared } = this.#prepared ?? this.#takeBatch()
    this.#prepared = null
    this.#prepareIfFull()
    try {
      const value = await prepared
      const begun = this.#deps.now()
      await this.#deps.store(value, chunks)
      this.#setLimit(bytes, this.#deps.now() - begun)
    } catch (error) {
      this.#failure = { error }
      await this.#discard()
    }
    this.#heldBytes -= bytes
    const isMore = this.#prepared !== null || this.#waiting.length > 0
    this.#storing = isMore ? this.#storeNext() : null
  }

  async #discard(): Promise<void> {
    this.#waiting = []
    await this.#prepared?.prepared.catch(() => undefined)
    this.#prepared = null
  }

  #takeBatch(): Batch<Prepared> {
    const limit = this.#limit
    let bytes = 0
    let count = 0
    for (const chunk of this.#waiting) {
      if (count > 0 && bytes + sizeOf(chunk) > limit) break
      bytes += sizeOf(chunk)
      count += 1
    }
    const chunks = this.#waiting.splice(0, count)
    this.#waitingBytes -= bytes
    const prepared = this.#deps.prepare(chunks)
    // The error is thrown when the batch is stored.
    prepared.catch(() => undefined)
    return { chunks, bytes, prepared }
  }

  #setLimit(bytes: number, milliseconds: number): void {
    const fitting = (bytes / Math.max(milliseconds, 1)) * COMMIT_MS
    this.#commitBytes = Math.min(Math.max(fitting, MIN_COMMIT_BYTES), MAX_COMMIT_BYTES)
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}
