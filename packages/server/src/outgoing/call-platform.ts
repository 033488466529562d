/** Every call to a platform goes through here (specification 4.2). */
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib'
import { SOURCE_KEY_HEADER } from '@recordhub/protocol'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { HubError } from '../errors.ts'
import { whyRefused } from './address-guard.ts'
import { toOutgoingError } from './outgoing-error.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** A platform as it is called: its base address and the key it expects. */
export type CallTarget = { source_base_url: string; source_api_key: string }

export type OutgoingSettings = {
  /** The neutral word in the paths: `/api/<word>/ping`. */
  platformPath: string
  tunnelHeader: string
  networks: 'any' | 'public'
  proxy: { http: string; https: string; none: string }
}

/** A 200 with its body, decompressed. */
export type PlatformAnswer = { path: string; contentType: string; body: AsyncIterable<Uint8Array> }

export type PlatformCaller = {
  /**
   * GETs a path below `/api/<word>/` with the platform's key and hands out a 200's body.
   * @throws HubError with its own code for each way in which a call can go wrong.
   */
  call: (
    target: CallTarget,
    path: string,
    options: { signal: AbortSignal; firstByteSeconds: number },
  ) => Promise<PlatformAnswer>
  close: () => Promise<void>
}

export function createPlatformCaller(settings: OutgoingSettings): PlatformCaller {
  const dispatcher = createDispatcher(settings)
  return {
    async call(target, path, { signal, firstByteSeconds }) {
      const url = new URL(`${target.source_base_url}/api/${settings.platformPath}/${path}`)
      refuseAddress(url.hostname, settings.networks)
      try {
        const answer = await request(url, {
          dispatcher,
          signal,
          headersTimeout: firstByteSeconds * 1000,
          bodyTimeout: 30_000,
          headers: {
            Accept: 'application/json',
            [SOURCE_KEY_HEADER]: target.source_api_key,
            [settings.tunnelHeader]: 'true',
          },
        })
        return await checkAnswer(answer, url.pathname)
      } catch (error) {
        throw toOutgoingError(error)
      }
    },
    close: () => dispatcher.destroy(),
  }
}

async function checkAnswer(answer: Dispatcher.ResponseData, path: string): Promise<PlatformAnswer> {
  const { statusCode: status, headers, body } = answer
  const contentType = String(headers['content-type'] ?? '')
  const problem = findProblem(
    status,
    String(headers['location'] ?? 'an unnamed place'),
    contentType,
    path,
  )
  if (!problem) {
    return { path, contentType, body: decompress(body, String(headers['content-encoding'] ?? '')) }
  }
  // The rest is of no use; what cannot be read quickly is cut off.
  await body.dump({ limit: 64 * 1024 }).catch(() => undefined)
  throw problem
}

/** The hub does not ask for compression, but some servers and proxies compress all the same. */
function decompress(body: Readable, encoding: string): Readable {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return body
  const decoder =
    name === 'br'
      ? createBrotliDecompress()
      : name === 'zstd'
        ? createZstdDecompress()
        : createUnzip()
  // Whoever reads the decoder meets the error of either.
  return pipeline(body, decoder, () => undefined)
}

function findProblem(
  status: number,
  location: string,
  contentType: string,
  path: string,
): HubError | null {
  if (status >= 300 && status < 400) {
    return new HubError('platform_redirected', { location: location.slice(0, 200) })
  }
  if (status === 401 || status === 403) return new HubError('platform_refused_key', { status })
  if (status === 404) return new HubError('platform_path_missing', { path })
  if (status !== 200) return new HubError('platform_failed', { status, path })
  if (/^text\/html/i.test(contentType)) {
    return new HubError('platform_not_json', { got: 'an HTML page', path })
  }
  return null
}

function createDispatcher(settings: OutgoingSettings): Dispatcher {
  const { proxy, networks } = settings
  const common = { connections: 8, pipelining: 0, keepAliveTimeout: 10_000 }
  if (proxy.http || proxy.https) {
    return new EnvHttpProxyAgent({
      ...common,
      // Only for hosts that are called past the proxy; the proxy looks up the others itself.
      connect: guardedConnector(networks),
      httpProxy: proxy.http,
      httpsProxy: proxy.https,
      noProxy: proxy.none,
    })
  }
  return new Agent({ ...common, connect: guardedConnector(networks) })
}

/**
 * Judges the address that a connection really leads to, before anything is sent on it: a name may
 * lead elsewhere than it did when it was looked at.
 */
function guardedConnector(networks: 'any' | 'public'): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS })
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result
      const reason = socket ? whyRefused(socket.remoteAddress ?? '', networks) : null
      if (error || !socket || reason === null) return callback(...result)
      const address = socket.remoteAddress ?? options.hostname
      socket.destroy()
      callback(new HubError('platform_address_refused', { address, reason }), null)
    })
  }
}

function refuseAddress(hostname: string, networks: 'any' | 'public'): void {
  const reason = whyRefused(hostname, networks)
  if (reason !== null) {
    throw new HubError('platform_address_refused', { address: hostname, reason })
  }
}
