import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib'
import { HubError } from '../../errors.ts'
import type { Stall, ThroughputLimits } from '../../lib/time/throughput-monitor.ts'
import { monitorThroughput } from '../../lib/time/throughput-monitor.ts'
import { type PlatformTimeouts, toStallError } from './timeouts.ts'

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
