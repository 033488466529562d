/** Collects the elements of an array into chunks. */

/** Consecutive elements of the array. The scanner does not write to a chunk that it has returned. */
export type JsonChunk = {
  /** The elements as a JSON array in UTF-8. */
  readonly bytes: Uint8Array
  /** The start of each element in `bytes`, after any whitespace. */
  readonly starts: readonly number[]
  /** The end of each element in `bytes`, exclusive, before any whitespace. */
  readonly ends: readonly number[]
  /** The index of the first element in the complete array. */
  readonly firstIndex: number
  /** The indexes of elements skipped because of their size, all before `firstIndex`. */
  readonly tooLarge: readonly number[]
}

/** The bytes of one element of a chunk, not copied. */
export function elementBytes(chunk: JsonChunk, position: number): Uint8Array {
  return chunk.bytes.subarray(chunk.starts[position], chunk.ends[position])
}

const OPENING = Uint8Array.of(0x5b)
const SEPARATOR = Uint8Array.of(0x2c)
const CLOSING = Uint8Array.of(0x5d)

/** More chunks are rarely in use at the same time. */
const POOLED = 16

/** More than the records that a chunk contains: a platform may send a list of millions of numbers. */
const MAX_ELEMENTS = 2048

/** Collects elements into chunks. The positions passed to it are those in the open piece. */
export class ChunkBuilder {
  readonly #chunkBytes: number
  readonly #maxElementBytes: number
  readonly #pool: BufferPool
  readonly #bytes: GrowingBytes
  #complete: JsonChunk[] = []
  #piece: Uint8Array = new Uint8Array(0)
  /** The start of the bytes in the piece that belong to the chunk and are not copied yet; -1 for none. */
  #pending = -1
  /** The start of the current element in the chunk; -1 outside of stored elements. */
  #start = -1
  #index = 0
  #starts: number[] = []
  #ends: number[] = []
  #tooLarge: number[] = []

  constructor(chunkBytes: number, maxElementBytes: number) {
    this.#chunkBytes = chunkBytes
    this.#maxElementBytes = maxElementBytes
    // A chunk ends with the element that fills it; extra capacity for that element avoids growing.
    const capacity = Math.ceil(chunkBytes * 1.25)
    this.#pool = new BufferPool(capacity, POOLED)
    this.#bytes = new GrowingBytes(capacity, this.#pool)
  }

  release(chunk: JsonChunk): void {
    this.#pool.release(chunk.bytes)
  }

  /** Whether no element has been found yet. */
  get isFirst(): boolean {
    return this.#index === 0
  }

  takeComplete(): JsonChunk[] {
    const complete = this.#complete
    this.#complete = []
    return complete
  }

  /** Ends the chunk after its last complete element, and discards what follows. */
  emitFinished(): void {
    this.#start = -1
    this.emit()
  }

  /** Ends the chunk after its last complete element; a started element becomes part of the next one. */
  emitComplete(): void {
    if (this.#ends.length + this.#tooLarge.length === 0) return
    const started = this.#start < 0 ? null : this.#bytes.view(this.#start).slice()
    this.emitFinished()
    if (started === null) return
    this.#bytes.append(OPENING)
    this.#start = this.#bytes.length
    this.#bytes.append(started)
  }

  open(piece: Uint8Array): void {
    this.#piece = piece
    this.#pending = this.#start < 0 ? -1 : 0
  }

  beginElement(at: number): void {
    if (this.#pending < 0) {
      this.#bytes.append(this.#bytes.length === 0 ? OPENING : SEPARATOR)
      this.#pending = at
    }
    this.#start = this.#position(at)
  }

  finishElement(at: number): void {
    this.#skipIfTooLarge(at)
    this.#index++
    if (this.#start < 0) return
    const end = this.#position(at)
    this.#starts.push(this.#start)
    this.#ends.push(end)
    this.#start = -1
    if (end >= this.#chunkBytes || this.#ends.length >= MAX_ELEMENTS) this.emit()
  }

  /** Copies the needed bytes of the piece. */
  close(): void {
    this.#skipIfTooLarge(this.#piece.length)
    if (this.#start >= 0) this.#bytes.append(this.#piece, this.#pending)
    else this.#storeFinished()
  }

  emit(): void {
    this.#storeFinished()
    const count = this.#starts.length
    if (count + this.#tooLarge.length === 0) return
    if (count === 0) this.#bytes.append(OPENING)
    this.#bytes.append(CLOSING)
    this.#complete.push({
      bytes: this.#bytes.take(),
      starts: this.#starts,
      ends: this.#ends,
      firstIndex: this.#index - count,
      tooLarge: this.#tooLarge,
    })
    this.#starts = []
    this.#ends = []
    this.#tooLarge = []
  }

  #position(at: number): number {
    return this.#bytes.length + at - this.#pending
  }

  #skipIfTooLarge(at: number): void {
    if (this.#start < 0 || this.#position(at) - this.#start <= this.#maxElementBytes) return
    this.#start = -1
    if (this.#ends.length > 0) this.emit()
    this.#storeFinished()
    this.#tooLarge.push(this.#index)
  }

  /** Whitespace and commas after the last element are not stored, since there may be any amount. */
  #storeFinished(): void {
    const end = this.#ends.at(-1) ?? 0
    const missing = end - this.#bytes.length
    if (missing > 0) this.#bytes.append(this.#piece, this.#pending, this.#pending + missing)
    else this.#bytes.truncate(end)
    this.#pending = -1
  }
}

/** A buffer that grows at its end. */
export class GrowingBytes {
  readonly #minCapacity: number
  readonly #pool: BufferPool
  #bytes: Uint8Array = new Uint8Array(0)
  #length = 0

  constructor(minCapacity: number, pool: BufferPool = new BufferPool(minCapacity, 0)) {
    this.#minCapacity = minCapacity
    this.#pool = pool
  }

  get length(): number {
    return this.#length
  }

  append(source: Uint8Array, from = 0, to = source.length): void {
    const length = this.#length + to - from
    if (length > this.#bytes.length) {
      // At least doubled, so that each byte is copied about once.
      const capacity = Math.max(length, this.#bytes.length * 2, this.#minCapacity)
      const grown = this.#pool.take(capacity)
      grown.set(this.view(0))
      this.#pool.release(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes.set(source.subarray(from, to), this.#length)
    this.#length = length
  }

  truncate(length: number): void {
    this.#length = length
  }

  view(from: number): Uint8Array {
    return this.#bytes.subarray(from, this.#length)
  }

  /** Returns the bytes and starts a new buffer. */
  take(): Uint8Array {
    const taken = this.view(0)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return taken
  }
}

/**
 * Reuses buffers of one size. Memory outside of V8's heap is freed late, so new buffers for each chunk of a large document
 * would leave a hundred megabytes of garbage.
 */
export class BufferPool {
  readonly #bytes: number
  readonly #maxFree: number
  readonly #free: ArrayBuffer[] = []

  /** @param maxFree the maximum number of unused buffers. */
  constructor(bytes: number, maxFree: number) {
    this.#bytes = bytes
    this.#maxFree = maxFree
  }

  /** Returns a buffer of at least this size with undefined content. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes > this.#bytes) return new Uint8Array(bytes)
    return new Uint8Array(this.#free.pop() ?? new ArrayBuffer(this.#bytes))
  }

  /** Returns a buffer to the pool. It is detached, so a later access to it finds it empty. */
  release({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer)) return
    if (buffer.byteLength !== this.#bytes || this.#free.length >= this.#maxFree) return
    this.#free.push(buffer.transfer())
  }
}
