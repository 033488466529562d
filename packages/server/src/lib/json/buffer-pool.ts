/**
 * Buffers of one size that are used again: memory outside of V8's heap is freed late, so that a new one
 * for each piece of a large document would take up a hundred megabytes of garbage.
 */
export class BufferPool {
  readonly #bytes: number
  readonly #most: number
  readonly #free: ArrayBuffer[] = []

  /** @param most how many are kept for later. */
  constructor(bytes: number, most: number) {
    this.#bytes = bytes
    this.#most = most
  }

  /** A buffer of at least so many bytes; what is in it is of no meaning. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes > this.#bytes) return new Uint8Array(bytes)
    return new Uint8Array(this.#free.pop() ?? new ArrayBuffer(this.#bytes))
  }

  /** Takes back a buffer that nobody needs any more: whoever looks at it all the same finds it empty. */
  giveBack({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer)) return
    if (buffer.byteLength !== this.#bytes || this.#free.length >= this.#most) return
    this.#free.push(buffer.transfer())
  }
}
