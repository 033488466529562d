/** Sends all requests to platforms (specification 4.2). */
import { SOURCE_KEY_HEADER } from '@recordhub/protocol'
import { trimTrailing } from '@recordhub/protocol/text'
import { type Dispatcher, request } from 'undici'
import { redactText } from '../../domain/platform/redact-keys.ts'
import { concernsPlatform } from '../../domain/pull/retry.ts'
import { HubError } from '../../errors.ts'
import { assertAddressAllowed, createDispatcher, type NetworkSettings } from './dispatcher.ts'
import { quoteRedacted, withPlatformMessage } from './error-message.ts'
import { rejectOtherText } from './not-json.ts'
import { toRequestError, toThrottledError } from './request-error.ts'
import { type RequestMetrics, requestWithRetry } from './request-with-retry.ts'
import {
  contentEncodingOf,
  decodeBody,
  discardBody,
  headerOf,
  type PlatformTimeouts,
} from './timeouts.ts'

/** The base URL of a platform and the key that it expects. */
export type CallTarget = { source_base_url: string; source_api_key: string }

export type PlatformClientSettings = NetworkSettings & {
  /** The segment in the paths `/api/<segment>/ping`, …; HUB_PLATFORM_PATH. */
  platformPath: string
  tunnelHeader: string
  timeouts: PlatformTimeouts
  /** Left out where nothing is counted, such as in a command. */
  metrics?: RequestMetrics
  /** Tests replace the connections to platforms. */
  dispatcher?: Dispatcher
}

type CallOptions = {
  signal: AbortSignal
  firstByteSeconds: number
  /** The deadline for retries, in the time of `performance.now()`; null for no retries. */
  retryUntil: number | null
  /** Whether something else is read if the request fails: then it is retried only if the platform says when. */
  isOptional?: boolean
  /** Headers of a conditional request; null for an unconditional one. */
  conditions: Record<string, string> | null
  /** Whether to request compression. A compressed response is decompressed in any case. */
  acceptGzip?: boolean
}

/** A 200 response with its decompressed body, or a 304 response to a conditional request. */
export type PlatformResponse = {
  url: URL
  path: string
  /** The key of the request, which the response may quote. */
  key: string
  isModified: boolean
  contentType: string
  /** The value of a header by its name in lower case; "" for none. */
  header: (name: string) => string
  body: AsyncIterable<Uint8Array>
}

/** Any response of a platform, with the part of its body that was read. */
export type RawResponse = {
  path: string
  status: number
  /** The value of a header by its name in lower case; "" for none. */
  header: (name: string) => string
  text: string
  /** The time until the response began. */
  began_ms: number
}

export type RawRequestOptions = {
  method: 'GET' | 'HEAD'
  /** The key to send; null for none. */
  key: string | null
  headers: Record<string, string>
  signal: AbortSignal
  /** The number of bytes of the body to read. */
  maxBytes: number
}

type Sent = {
  method: 'GET' | 'HEAD'
  headers: Record<string, string>
  signal: AbortSignal
  headersTimeout: number
}

type RequestSender = {
  /** The URL of a path below `/api/<segment>/`. */
  urlOf: (target: Pick<CallTarget, 'source_base_url'>, path: string) => URL
  /**
   * Sends a GET request with the platform's key and returns a 200 response with its body.
   * @throws HubError with a code of its own for each kind of failure.
   */
  get: (target: CallTarget, url: URL, options: CallOptions) => Promise<PlatformResponse>
  /**
   * Sends one request and returns any response, for the conformance check.
   * @throws HubError when there was no response, or its body cannot be decompressed.
   */
  sendRaw: (url: URL, options: RawRequestOptions) => Promise<RawResponse>
  close: () => Promise<void>
}

export function createRequestSender(settings: PlatformClientSettings): RequestSender {
  const { timeouts, metrics } = settings
  const dispatcher = settings.dispatcher ?? createDispatcher(settings)
  const headersWith = (key: string | null, extra: Record<string, string>) => ({
    Accept: 'application/json',
    ...(key === null ? {} : { [SOURCE_KEY_HEADER]: key }),
    [settings.tunnelHeader]: 'true',
    ...extra,
  })
  async function send(url: URL, options: Sent): Promise<Dispatcher.ResponseData> {
    try {
      // decodeBody limits the time of the body.
      const response = await request(url, { ...options, dispatcher, bodyTimeout: 0 })
      metrics?.countResponse(response.statusCode)
      return response
    } catch (error) {
      metrics?.countResponse(null)
      throw error
    }
  }
  return {
    urlOf: (target, path) =>
      new URL(`${target.source_base_url}/api/${settings.platformPath}/${path}`),

    async get(target, url, options) {
      const { signal, firstByteSeconds, retryUntil, conditions, acceptGzip } = options
      const { isOptional = false } = options
      assertAddressAllowed(url, settings)
      const extra = { ...conditions, ...(acceptGzip ? { 'Accept-Encoding': 'gzip' } : {}) }
      const key = target.source_api_key
      const headers = headersWith(key, extra)
      const headersTimeout = firstByteSeconds * 1000
      const sendOnce = () => send(url, { method: 'GET', headers, signal, headersTimeout })
      const path = url.pathname
      try {
        const response =
          retryUntil === null
            ? await sendOnce()
            : await requestWithRetry(sendOnce, {
                ...{ url, path, key, signal, retryUntil, isOptional, timeouts },
                onRetry: (failed) => metrics?.countRetry(failed),
              })
        const isConditional = conditions !== null
        const base = target.source_base_url
        await checkResponse(response, { url, base, path, key, timeouts, isConditional })
        const { body, ...read } = readResponse(response, path, timeouts)
        const encoding = contentEncodingOf(read.header('content-encoding'))
        return { ...read, body: rejectOtherText(body, { path, key, encoding }), url, path, key }
      } catch (error) {
        throw toRequestError(error, url)
      }
    },

    async sendRaw(url, { method, key, headers, signal, maxBytes }) {
      assertAddressAllowed(url, settings)
      const start = timeouts.timer.now()
      try {
        const options = { method, headers: headersWith(key, headers), signal }
        const response = await send(url, { ...options, headersTimeout: 0 })
        const began_ms = Math.round(timeouts.timer.now() - start)
        const path = url.pathname
        const { header, body } = readResponse(response, path, timeouts)
        const text = await readUpTo(body, maxBytes)
        return { path, status: response.statusCode, header, text, began_ms }
      } catch (error) {
        throw toRequestError(error, url)
      }
    },

    close: () => dispatcher.destroy(),
  }
}

/** Reads the first `maxBytes` bytes and closes the connection. */
async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

async function checkResponse(
  response: Dispatcher.ResponseData,
  options: {
    url: URL
    base: string
    path: string
    key: string
    timeouts: PlatformTimeouts
    isConditional: boolean
  },
): Promise<void> {
  const { statusCode: status, headers, body } = response
  if (status === 304 && options.isConditional) return discardBody(body)
  const error = findResponseError(status, (name) => headerOf(headers, name), options)
  if (!error) return
  if (status >= 400) throw await withPlatformMessage(error, response, options)
  await discardBody(body)
  throw error
}

function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  path: string,
  timeouts: PlatformTimeouts,
): Omit<PlatformResponse, 'url' | 'path' | 'key'> {
  const header = (name: string) => headerOf(headers, name)
  return {
    isModified: statusCode !== 304,
    contentType: header('content-type'),
    header,
    body: decodeBody(body, { path, encoding: header('content-encoding'), timeouts }),
  }
}

/** The base URL at which a redirect leads to the same endpoint; undefined if it leads elsewhere. */
function findRedirectedBase(
  location: string,
  { url, base, key }: { url: URL; base: string; key: string },
): string | undefined {
  const target = URL.parse(location, url.href)
  const endpoint = url.pathname.slice(trimTrailing(new URL(base).pathname, '/').length)
  if (!target || !/^https?:$/.test(target.protocol)) return undefined
  if (!target.pathname.endsWith(endpoint)) return undefined
  const found = target.origin + target.pathname.slice(0, -endpoint.length)
  // A platform must not get its key into a response.
  return found === base || redactText(found, [key]) !== found ? undefined : found
}

function findResponseError(
  status: number,
  header: (name: string) => string,
  { url, base, path, key }: { url: URL; base: string; path: string; key: string },
): HubError | null {
  if (status >= 300 && status < 400 && status !== 304) {
    const location = quoteRedacted(header('location') || 'an unknown address', key, 200)
    const suggestedBaseUrl = findRedirectedBase(header('location'), { url, base, key })
    return new HubError('platform_redirected', { location }, { suggestedBaseUrl })
  }
  const scope = { concernsPlatform: concernsPlatform({ status }) }
  if (status === 401 || status === 403) {
    return new HubError('platform_rejected_key', { status }, scope)
  }
  if (status === 404) return new HubError('platform_path_missing', { path })
  if (status === 429) return toThrottledError(path, header)
  if (status !== 200) return new HubError('platform_failed', { status, path }, scope)
  return null
}
