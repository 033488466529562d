/** Every call to a platform goes through here (specification 4.2). */
import { SOURCE_KEY_HEADER } from '@recordhub/protocol'
import { type Dispatcher, request } from 'undici'
import { concernsPlatform } from '../../domain/retry.ts'
import { HubError } from '../../errors.ts'
import { decodeBody } from './decode-body.ts'
import { discardBody } from './discard-body.ts'
import { assertAddressAllowed, createDispatcher, type NetworkSettings } from './dispatcher.ts'
import { quoteRedacted } from './redact-key.ts'
import { toRequestError, toThrottledError } from './request-error.ts'
import { requestWithRetry } from './request-with-retry.ts'
import { headerOf } from './response-header.ts'
import type { PlatformTimeouts } from './timeouts.ts'

/** A platform as it is called: its base address and the key it expects. */
export type CallTarget = { source_base_url: string; source_api_key: string }

export type PlatformClientSettings = NetworkSettings & {
  /** The neutral word in the paths: `/api/<word>/ping`. */
  platformPath: string
  tunnelHeader: string
  timeouts: PlatformTimeouts
}

type CallOptions = {
  signal: AbortSignal
  firstByteSeconds: number
  /** Until when, by `performance.now()`, the call may be made again; null for once only. */
  endsAt: number | null
  /** Headers that ask for the answer only where it has changed; null for none. */
  conditions: Record<string, string> | null
  /** Whether a compressed answer is asked for; one that is compressed unasked is read all the same. */
  asksForGzip?: boolean
}

/** A 200 with its body, decompressed; or, where conditions were sent, a 304. */
export type PlatformResponse = {
  url: URL
  path: string
  /** That it was asked with, and may quote. */
  key: string
  isModified: boolean
  contentType: string
  /** A header by its name in small letters; "" for none. */
  header: (name: string) => string
  body: AsyncIterable<Uint8Array>
}

/** Whatever a platform answered, its body as far as it was read. */
export type RawResponse = {
  path: string
  status: number
  /** A header by its name in small letters; "" for none. */
  header: (name: string) => string
  text: string
  /** Until the answer began. */
  began_ms: number
}

export type RawRequestOptions = {
  method: 'GET' | 'HEAD'
  /** The key that is sent; null for none. */
  key: string | null
  headers: Record<string, string>
  signal: AbortSignal
  /** Of the body no more is read. */
  maxBytes: number
}

type Sent = {
  method: 'GET' | 'HEAD'
  headers: Record<string, string>
  signal: AbortSignal
  headersTimeout: number
}

export type RequestSender = {
  /** The address of a path below `/api/<word>/`. */
  urlOf: (target: Pick<CallTarget, 'source_base_url'>, path: string) => URL
  /**
   * GETs an address of a platform with the platform's key and hands out a 200's body.
   * @throws HubError with its own code for each way in which a call can go wrong.
   */
  get: (target: CallTarget, url: URL, options: CallOptions) => Promise<PlatformResponse>
  /**
   * Calls an address once and hands out what it answered, whatever that is: for those who judge answers.
   * @throws HubError where there was no answer, or its body cannot be decompressed.
   */
  sendRaw: (url: URL, options: RawRequestOptions) => Promise<RawResponse>
  close: () => Promise<void>
}

export function createRequestSender(settings: PlatformClientSettings): RequestSender {
  const { timeouts } = settings
  const dispatcher = createDispatcher(settings)
  const headersWith = (key: string | null, others: Record<string, string>) => ({
    Accept: 'application/json',
    ...(key === null ? {} : { [SOURCE_KEY_HEADER]: key }),
    [settings.tunnelHeader]: 'true',
    ...others,
  })
  // The body's pace is watched by whoever reads it.
  const send = (url: URL, options: Sent) => request(url, { ...options, dispatcher, bodyTimeout: 0 })
  return {
    urlOf: (target, path) =>
      new URL(`${target.source_base_url}/api/${settings.platformPath}/${path}`),

    async get(target, url, { signal, firstByteSeconds, endsAt, conditions, asksForGzip }) {
      assertAddressAllowed(url, settings)
      const others = { ...conditions, ...(asksForGzip ? { 'Accept-Encoding': 'gzip' } : {}) }
      const key = target.source_api_key
      const headers = headersWith(key, others)
      const headersTimeout = firstByteSeconds * 1000
      const ask = () => send(url, { method: 'GET', headers, signal, headersTimeout })
      const path = url.pathname
      try {
        const answer =
          endsAt === null
            ? await ask()
            : await requestWithRetry(ask, { path, signal, endsAt, timeouts })
        await checkResponse(answer, { path, key, isConditional: conditions !== null })
        return { ...readResponse(answer, path, timeouts), url, path, key }
      } catch (error) {
        throw toRequestError(error)
      }
    },

    async sendRaw(url, { method, key, headers, signal, maxBytes }) {
      assertAddressAllowed(url, settings)
      const began = timeouts.timer.now()
      try {
        const asked = { method, headers: headersWith(key, headers), signal }
        const answer = await send(url, { ...asked, headersTimeout: 0 })
        const began_ms = Math.round(timeouts.timer.now() - began)
        const path = url.pathname
        const { header, body } = readResponse(answer, path, timeouts)
        const text = await readUpTo(body, maxBytes)
        return { path, status: answer.statusCode, header, text, began_ms }
      } catch (error) {
        throw toRequestError(error)
      }
    },

    close: () => dispatcher.destroy(),
  }
}

/** No more than so many bytes; whoever stops reading closes the connection. */
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
  answer: Dispatcher.ResponseData,
  { path, key, isConditional }: { path: string; key: string; isConditional: boolean },
): Promise<void> {
  const { statusCode: status, headers, body } = answer
  if (status === 304 && isConditional) return discardBody(body)
  const problem = findProblem(status, (name) => headerOf(headers, name), { path, key })
  if (!problem) return
  await discardBody(body)
  throw problem
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

function findProblem(
  status: number,
  header: (name: string) => string,
  { path, key }: { path: string; key: string },
): HubError | null {
  if (status >= 300 && status < 400 && status !== 304) {
    const location = quoteRedacted(header('location') || 'an unnamed place', key, 200)
    return new HubError('platform_redirected', { location })
  }
  const scope = { concernsPlatform: concernsPlatform({ status }) }
  if (status === 401 || status === 403) {
    return new HubError('platform_refused_key', { status }, scope)
  }
  if (status === 404) return new HubError('platform_path_missing', { path })
  if (status === 429) return toThrottledError(path, header)
  if (status !== 200) return new HubError('platform_failed', { status, path }, scope)
  if (/^text\/html/i.test(header('content-type'))) {
    return new HubError('platform_not_json', { got: 'an HTML page', path })
  }
  return null
}
