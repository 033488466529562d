import { HubError } from '../../errors.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { Stall, ThroughputLimits } from '../../lib/time/throughput-monitor.ts'
import { systemTimer, type Timer } from '../../lib/time/throughput-monitor.ts'

/** How the hub waits for a platform, and for how much of it. */
export type PlatformTimeouts = ThroughputLimits & {
  /** So long an answer may take to begin: some platforms build all of it first. */
  firstByteSeconds: number
  /** The time limit of a ping, a manifest or another short request, for which a person waits. */
  shortCallSeconds: number
  /** So long an answer to a search may take in all: somebody watches, and other platforms answer beside it. */
  searchSeconds: number
  /** Waits before a request is made again; false where the signal came first. */
  pause: (milliseconds: number, signal: AbortSignal) => Promise<boolean>
  /** How the time passes in which it waits for an answer to begin or to go on. */
  timer: Timer
  /** An answer may go on over so many pages. */
  maxPages: number
}

/** The first byte may take as long as a pull does. */
export const DEFAULT_TIMEOUTS: Omit<PlatformTimeouts, 'firstByteSeconds'> = {
  silenceMs: 30_000,
  windowMs: 60_000,
  bytesPerSecond: 1024,
  shortCallSeconds: 30,
  searchSeconds: 10,
  pause: sleep,
  timer: systemTimer,
  maxPages: 10_000,
}

/** An answer that has begun and does not get on. */
export function toStallError(stall: Stall, limits: ThroughputLimits): HubError {
  const { silenceMs, windowMs, bytesPerSecond } = limits
  const reason =
    stall === 'silent'
      ? `silence of ${silenceMs / 1000} s amid the answer`
      : `less than ${bytesPerSecond} bytes a second over ${windowMs / 1000} s`
  return new HubError('platform_timed_out', { reason })
}
