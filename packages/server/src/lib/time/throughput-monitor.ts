import type { Readable } from 'node:stream'

/** The minimum throughput of a sender. */
export type ThroughputLimits = {
  /** The maximum wait without a byte. */
  silenceMs: number
  /** The minimum rate is measured over each window of this much waiting time. */
  windowMs: number
  bytesPerSecond: number
}

/** Why a sender counts as stalled: it sent nothing, or too little. */
export type Stall = 'silent' | 'slow'

/**
 * Measures the throughput of a sender by the time that the reader waits for it. Time in which the reader does not
 * wait is not recorded, so a slow reader does not count against the sender.
 */
export class ThroughputMonitor {
  readonly #limits: ThroughputLimits
  #silentMs = 0
  #waitedMs = 0
  #bytes = 0

  constructor(limits: ThroughputLimits) {
    this.#limits = limits
  }

  /** The maximum wait before the next call of {@link record}. */
  get nextCheckMs(): number {
    const { silenceMs, windowMs } = this.#limits
    return Math.max(1, Math.min(silenceMs - this.#silentMs, windowMs - this.#waitedMs))
  }

  /** Records a wait and the bytes that ended it; 0 bytes when the wait continues. */
  record(waitedMs: number, bytes: number): Stall | null {
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

/** A monotonic clock with timeouts, which tests replace. */
export type Timer = {
  /** Milliseconds since an arbitrary start; never decreases. */
  now: () => number
  /** Calls back once after a delay. @returns a function that cancels it. */
  after: (milliseconds: number, callback: () => void) => () => void
}

export const systemTimer: Timer = {
  now: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}

/**
 * Passes on the chunks of a stream, and destroys the stream at the end in any case.
 * @throws the result of `toError` when the sender stalls. Only the time in which the reader waits for the next
 *   chunk counts.
 */
export async function* monitorThroughput(
  stream: Readable,
  limits: ThroughputLimits,
  toError: (stall: Stall) => Error,
  timer: Timer = systemTimer,
): AsyncGenerator<Uint8Array> {
  const monitor = new ThroughputMonitor(limits)
  const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]()
  // A destroyed stream may emit an error that no reader waits for.
  stream.on('error', () => undefined)
  try {
    for (;;) {
      const result = await nextOrStall(chunks, monitor, timer)
      if (typeof result === 'string') throw toError(result)
      if (result.done) return
      yield result.value
    }
  } finally {
    stream.destroy()
  }
}

async function nextOrStall(
  chunks: AsyncIterator<Uint8Array>,
  monitor: ThroughputMonitor,
  timer: Timer,
): Promise<IteratorResult<Uint8Array> | Stall> {
  const next = chunks.next()
  // After a stall, nothing awaits this promise.
  next.catch(() => undefined)
  for (;;) {
    const start = timer.now()
    const { nextCheckMs } = monitor
    const result = await withTimeout(timer, nextCheckMs, next)
    const waitedMs = timer.now() - start
    const stall = result
      ? monitor.record(waitedMs, result.done ? 0 : result.value.length)
      : monitor.record(Math.max(waitedMs, nextCheckMs), 0)
    if (result?.done) return result
    if (stall) return stall
    if (result) return result
  }
}

/** Resolves to null on timeout. */
async function withTimeout<Value>(
  timer: Timer,
  milliseconds: number,
  promise: Promise<Value>,
): Promise<Value | null> {
  const timeout = Promise.withResolvers<null>()
  const cancel = timer.after(milliseconds, () => timeout.resolve(null))
  try {
    return await Promise.race([promise, timeout.promise])
  } finally {
    cancel()
  }
}
