import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { HubError } from '../../errors.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import {
  monitorThroughput,
  type Stall,
  systemTimer,
  type ThroughputLimits,
  type Timer,
} from '../../lib/time/throughput-monitor.ts'

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
function toStallError(stall: Stall, limits: ThroughputLimits): HubError {
  const { silenceMs, windowMs, bytesPerSecond } = limits
  const reason =
    stall === 'silent'
      ? `it sent nothing for ${silenceMs / 1000} s in the middle of the response`
      : `it sent fewer than ${bytesPerSecond} bytes per second for ${windowMs / 1000} s`
  return new HubError('platform_timed_out', { reason })
}

type BodyLimits = ThroughputLimits & Pick<PlatformTimeouts, 'timer'>

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
  // RFC 9659 limits the window to 8 MiB for HTTP. Without a limit, a few bytes can request 2 GiB.
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
}

/**
 * Decompresses the body of a response. Some servers and proxies compress responses although the request does not
 * accept compression.
 * The throughput is that of the compressed bytes. The connection is closed when the caller stops reading.
 * @throws HubError `platform_timed_out` when the platform stalls.
 */
export async function* decodeBody(
  body: Readable,
  { path, encoding, timeouts }: { path: string; encoding: string; timeouts: BodyLimits },
): AsyncGenerator<Uint8Array> {
  const toError = (stall: Stall) => toStallError(stall, timeouts)
  const sent = monitorThroughput(body, timeouts, toError, timeouts.timer)
  const name = contentEncodingOf(encoding)
  try {
    if (name === '') yield* sent
    // The reader of the decoder receives the errors of both streams.
    else yield* pipeline(sent, createDecoder(name, path), () => undefined)
  } finally {
    // Cancels the read that is still pending.
    body.on('error', () => undefined).destroy()
  }
}

/** The compressions that a `Content-Encoding` header names, separated by commas; "" for none. */
export function contentEncodingOf(header: string): string {
  const names = header.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity').join(', ')
}

function createDecoder(name: string, path: string): Transform {
  const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (create) return create()
  const advice = name.includes(',') ? '; compress it only once' : ''
  const reason = `its Content-Encoding "${name.slice(0, 100)}" is not supported${advice}`
  throw new HubError('platform_response_invalid', { path, reason })
}

const MAX_DISCARDED_BYTES = 64 * 1024
const MAX_DISCARD_MS = 2000

/** The value of a response header; several headers of one name as a list, "" for none. */
export function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}

/** Reads and discards the rest of a response, so that its connection can be reused. Closes the connection if that takes too long. */
export async function discardBody(body: Dispatcher.ResponseData['body']): Promise<void> {
  const signal = AbortSignal.timeout(MAX_DISCARD_MS)
  await body.dump({ limit: MAX_DISCARDED_BYTES, signal }).catch(() => undefined)
}
