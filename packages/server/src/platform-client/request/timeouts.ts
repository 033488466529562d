import { HubError } from '../../errors.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { Stall, ThroughputLimits } from '../../lib/time/throughput-monitor.ts'
import { systemTimer, type Timer } from '../../lib/time/throughput-monitor.ts'

/** How long the hub waits for a platform, and how much it reads. */
export type PlatformTimeouts = ThroughputLimits & {
  /** The time until the first byte: some platforms build the whole response first. */
  firstByteSeconds: number
  /** The same for a platform that a scheduled pull has skipped, until one of its modules has been read. */
  resumedFirstByteSeconds: number
  /** The time after which a skipped platform that responds is read once with the usual limits. */
  usualLimitsAfterSeconds: number
  /** The time limit of a ping, a manifest or another short request that a person waits for. */
  shortCallSeconds: number
  /** The time limit of a whole search response. */
  searchSeconds: number
  /** Waits before a retry. Resolves with false when the signal aborts first. */
  pause: (milliseconds: number, signal: AbortSignal) => Promise<boolean>
  /** Measures the waiting time for responses. */
  timer: Timer
  /** The maximum number of pages of a response. */
  maxPages: number
}

/** Without `firstByteSeconds`, which is the time limit of a pull. */
export const DEFAULT_TIMEOUTS: Omit<PlatformTimeouts, 'firstByteSeconds'> = {
  silenceMs: 30_000,
  windowMs: 60_000,
  bytesPerSecond: 1024,
  shortCallSeconds: 30,
  searchSeconds: 10,
  pause: sleep,
  timer: systemTimer,
  maxPages: 10_000,
  resumedFirstByteSeconds: 30,
  usualLimitsAfterSeconds: 3600,
}

/** The error of a response that has begun and then stalls. */
export function toStallError(stall: Stall, limits: ThroughputLimits): HubError {
  const { silenceMs, windowMs, bytesPerSecond } = limits
  const reason =
    stall === 'silent'
      ? `it sent nothing for ${silenceMs / 1000} s in the middle of the response`
      : `it sent fewer than ${bytesPerSecond} bytes per second for ${windowMs / 1000} s`
  return new HubError('platform_timed_out', { reason })
}
