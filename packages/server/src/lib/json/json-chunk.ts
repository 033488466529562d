/** Gathers the elements of an array, as they are found in the bytes, into slices. */
import { BufferPool } from './buffer-pool.ts'

/** Elements that follow each other in the array. The scanner does not write to a slice that it has handed out. */
export type JsonChunk = {
  /** The elements as one JSON array in UTF-8: `[`, the elements with their commas, `]`. */
  readonly bytes: Uint8Array
  /** Where each element begins in `bytes`, after any whitespace. */
  readonly starts: readonly number[]
  /** Where each element ends in `bytes`, exclusive, before any whitespace. */
  readonly ends: readonly number[]
  /** The index in the whole array of the first element; the others count on from it. */
  readonly firstIndex: number
  /** Indices of the elements left out for their size, all of them before `firstIndex`. */
  readonly tooLarge: readonly number[]
}

/** The bytes of one element of a slice, not copied. */
export function elementBytes(slice: JsonChunk, position: number): Uint8Array {
  return slice.bytes.subarray(slice.starts[position], slice.ends[position])
}

const OPENING = Uint8Array.of(0x5b)
const SEPARATOR = Uint8Array.of(0x2c)
const CLOSING = Uint8Array.of(0x5d)

/** More slices are hardly ever on their way at once. */
const POOLED = 16

/** Gathers elements into slices. The positions it is given are those in the open chunk. */
export class ChunkBuilder {
  readonly #sliceBytes: number
  readonly #maxElementBytes: number
  readonly #pool: BufferPool
  readonly #bytes: GrowingBytes
  #complete: JsonChunk[] = []
  #chunk: Uint8Array = new Uint8Array(0)
  /** From here on the chunk belongs to the slice, but is not copied yet; -1 where none does. */
  #pending = -1
  /** Where in the slice the current element begins; -1 outside of elements that are kept. */
  #start = -1
  #index = 0
  #starts: number[] = []
  #ends: number[] = []
  #tooLarge: number[] = []

  constructor(sliceBytes: number, maxElementBytes: number) {
    this.#sliceBytes = sliceBytes
    this.#maxElementBytes = maxElementBytes
    // A slice ends with the element that fills it; room for that one saves growing each time.
    const capacity = Math.ceil(sliceBytes * 1.25)
    this.#pool = new BufferPool(capacity, POOLED)
    this.#bytes = new GrowingBytes(capacity, this.#pool)
  }

  /** Takes back what a slice that nobody needs any more was kept in. */
  release(slice: JsonChunk): void {
    this.#pool.giveBack(slice.bytes)
  }

  /** No element has come yet. */
  get isFirst(): boolean {
    return this.#index === 0
  }

  takeComplete(): JsonChunk[] {
    const complete = this.#complete
    this.#complete = []
    return complete
  }

  /** Ends the slice where its last complete element ends, whatever has begun after it. */
  emitFinished(): void {
    this.#start = -1
    this.emit()
  }

  /** Ends the slice where its last complete element ends; an element that has begun after it stays for the next one. */
  emitComplete(): void {
    if (this.#ends.length + this.#tooLarge.length === 0) return
    const begun = this.#start < 0 ? null : this.#bytes.view(this.#start).slice()
    this.emitFinished()
    if (begun === null) return
    this.#bytes.append(OPENING)
    this.#start = this.#bytes.length
    this.#bytes.append(begun)
  }

  open(chunk: Uint8Array): void {
    this.#chunk = chunk
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
    if (end >= this.#sliceBytes) this.emit()
  }

  /** Copies what it needs of the chunk. */
  close(): void {
    this.#skipIfTooLarge(this.#chunk.length)
    if (this.#start >= 0) this.#bytes.append(this.#chunk, this.#pending)
    else this.#keepFinished()
  }

  emit(): void {
    this.#keepFinished()
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
    this.#keepFinished()
    this.#tooLarge.push(this.#index)
  }

  /** Whitespace and commas after the last element are not kept: they may be endless. */
  #keepFinished(): void {
    const end = this.#ends.at(-1) ?? 0
    const missing = end - this.#bytes.length
    if (missing > 0) this.#bytes.append(this.#chunk, this.#pending, this.#pending + missing)
    else this.#bytes.truncate(end)
    this.#pending = -1
  }
}

/** Bytes that are added at the end. */
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
      // At least doubled, so that what is there is copied about once however often it grows.
      const capacity = Math.max(length, this.#bytes.length * 2, this.#minCapacity)
      const grown = this.#pool.take(capacity)
      grown.set(this.view(0))
      this.#pool.giveBack(this.#bytes)
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

  /** Gives the bytes away and begins anew. */
  take(): Uint8Array {
    const taken = this.view(0)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return taken
  }
}
