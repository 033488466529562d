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
  // 8 MiB is what whoever compresses for HTTP keeps to (RFC 9659); a few bytes could ask for 2 GiB.
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
}

/**
 * The bytes of an answer, decompressed. The hub does not ask for compression, but some servers and
 * proxies compress all the same. What is sent counts for the pace, not what it becomes. Whoever stops
 * reading closes the connection.
 * @throws HubError `platform_timed_out` where the platform falls silent or is too slow.
 */
export async function* decodeBody(
  body: Readable,
  { path, encoding, timeouts }: { path: string; encoding: string; timeouts: BodyLimits },
): AsyncGenerator<Uint8Array> {
  const toError = (stall: Stall) => toStallError(stall, timeouts)
  const sent = monitorThroughput(body, timeouts, toError, timeouts.timer)
  const name = encoding.trim().toLowerCase()
  try {
    if (name === '' || name === 'identity') yield* sent
    // Whoever reads the decoder meets the error of either.
    else yield* pipeline(sent, createDecoder(name, path), () => undefined)
  } finally {
    // Ends a wait for the next bytes that nobody needs any more.
    body.on('error', () => undefined).destroy()
  }
}

function createDecoder(name: string, path: string): Transform {
  const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (create) return create()
  const reason = `its Content-Encoding "${name.slice(0, 100)}" is not one that the hub reads`
  throw new HubError('platform_answer_invalid', { path, reason })
}
