/** How slow a sender may be. */
export type PaceLimits = {
  /** So long it may send nothing at all. */
  silenceMs: number
  /** Over each stretch of so much waiting it must send at least so much. */
  windowMs: number
  bytesPerSecond: number
}

export type Slowness = 'silent' | 'slow'

/**
 * Judges a sender by how long one waited for what it sent. Time in which nobody waited is not told to
 * it, so a slow reader is never held against the sender.
 */
export class PaceMeter {
  readonly #limits: PaceLimits
  #silentMs = 0
  #waitedMs = 0
  #bytes = 0

  constructor(limits: PaceLimits) {
    this.#limits = limits
  }

  /** For so long one may wait before there is something to judge. */
  get patienceMs(): number {
    const { silenceMs, windowMs } = this.#limits
    return Math.max(1, Math.min(silenceMs - this.#silentMs, windowMs - this.#waitedMs))
  }

  /** Takes a wait, and what it brought; 0 bytes where it went on without anything. */
  note(waitedMs: number, bytes: number): Slowness | null {
    const { silenceMs, windowMs, bytesPerSecond } = this.#limits
    this.#silentMs = bytes > 0 ? 0 : this.#silentMs + waitedMs
    this.#waitedMs += waitedMs
    this.#bytes += bytes
    if (this.#silentMs >= silenceMs) return 'silent'
    if (this.#waitedMs < windowMs) return null
    const isSlow = this.#bytes < (bytesPerSecond * windowMs) / 1000
    this.#waitedMs = 0
    this.#bytes = 0
    return isSlow ? 'slow' : null
  }
}
