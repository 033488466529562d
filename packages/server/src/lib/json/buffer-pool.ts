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
  giveBack({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer)) return
    if (buffer.byteLength !== this.#bytes || this.#free.length >= this.#maxFree) return
    this.#free.push(buffer.transfer())
  }
}
