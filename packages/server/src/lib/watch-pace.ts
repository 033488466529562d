import type { Readable } from 'node:stream'
import { type PaceLimits, PaceMeter, type Slowness } from './pace-meter.ts'

/** How time passes for whoever waits, so that tests can have it pass. */
export type Passing = {
  /** In milliseconds, from any beginning; never less than before. */
  now: () => number
  /** Calls back once so many milliseconds have passed. @returns what takes that back. */
  after: (milliseconds: number, callback: () => void) => () => void
}

export const systemPassing: Passing = {
  now: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}

/**
 * What a stream brings, piece by piece. Destroys the stream at the end, however that comes.
 * @throws what `toError` makes of a sender that is silent or slow. Only the time in which the reader
 *   waits for the next piece counts.
 */
export async function* watchPace(
  stream: Readable,
  limits: PaceLimits,
  toError: (slowness: Slowness) => Error,
  passing: Passing = systemPassing,
): AsyncGenerator<Uint8Array> {
  const meter = new PaceMeter(limits)
  const pieces: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]()
  // Destroyed, it may tell of an error that nobody waits for any more.
  stream.on('error', () => undefined)
  try {
    for (;;) {
      const piece = await nextInTime(pieces, meter, passing)
      if (typeof piece === 'string') throw toError(piece)
      if (piece.done) return
      yield piece.value
    }
  } finally {
    stream.destroy()
  }
}

async function nextInTime(
  pieces: AsyncIterator<Uint8Array>,
  meter: PaceMeter,
  passing: Passing,
): Promise<IteratorResult<Uint8Array> | Slowness> {
  const coming = pieces.next()
  // Where it comes too late nobody waits for it any more.
  coming.catch(() => undefined)
  for (;;) {
    const began = passing.now()
    const { patienceMs } = meter
    const piece = await raceAgainst(passing, patienceMs, coming)
    const waited = passing.now() - began
    const slowness = piece
      ? meter.note(waited, piece.done ? 0 : piece.value.length)
      : meter.note(Math.max(waited, patienceMs), 0)
    if (piece?.done) return piece
    if (slowness) return slowness
    if (piece) return piece
  }
}

/** Null where the time is over first. */
async function raceAgainst<Value>(
  passing: Passing,
  milliseconds: number,
  coming: Promise<Value>,
): Promise<Value | null> {
  const over = Promise.withResolvers<null>()
  const takeBack = passing.after(milliseconds, () => over.resolve(null))
  try {
    return await Promise.race([coming, over.promise])
  } finally {
    takeBack()
  }
}
