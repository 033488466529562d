import { isUtf8 } from 'node:buffer'
import { MAX_JSON_DEPTH, type Manifest, PingResponse } from '@recordhub/protocol'
import {
  findUnsafeJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseLossless,
} from '@recordhub/protocol/lossless-json'
import { trimTrailing } from '@recordhub/protocol/text'
import { Compile } from 'typebox/compile'
import { checkManifest } from '../domain/platform/manifest.ts'
import { redactValue } from '../domain/platform/redact-keys.ts'
import { conditionalHeaders, type Validators } from '../domain/pull/unchanged.ts'
import { HubError } from '../errors.ts'
import { NOT_UTF8 } from '../lib/json/json-array-scanner.ts'
import {
  type DigestAnswer,
  type DigestQuery,
  isLong,
  maxDigestBytes,
  readDigest,
  toQueryText,
} from './records/records-digest.ts'
import { openPages, type RecordsPage } from './records/records-pages.ts'
import {
  describeContentType,
  findEnvelopeError,
  peekRecords,
  type RecordsPeek,
} from './records/records-stream.ts'
import { findReportedFailure, withRedactedKey } from './request/error-message.ts'
import { describeSyntaxError } from './request/not-json.ts'
import { toBodyError } from './request/request-error.ts'
import {
  type CallTarget,
  createRequestSender,
  type PlatformClientSettings,
  type PlatformResponse,
  type RawRequestOptions,
  type RawResponse,
} from './request/send-request.ts'

const MAX_SHORT_RESPONSE_BYTES = 8 * 1024 * 1024
const MAX_SEARCH_RESPONSE_BYTES = 1024 * 1024

const isPing = Compile(PingResponse)

type RecordsOptions = {
  /** Ends the read when it aborts. */
  signal: AbortSignal
  /** The time limit until the first byte of each page. */
  firstByteSeconds: number
  /** The deadline for retries, in the time of `performance.now()`; null for no retries. */
  retryUntil: number | null
  /** The validators of the cached response; null for an unconditional request. */
  validators: Validators | null
  /** Requests only the records whose reference has one of these prefixes in its md5; all if left out. */
  prefixes?: readonly string[] | null
  /** Whether to request compression. */
  acceptGzip?: boolean
}

type Warn = (warning: string) => void

/** The endpoints of a platform. Each method throws a HubError whose message tells the operator what to do. */
export type PlatformClient = {
  /** Parameters as for `fetchManifest`. */
  ping: (target: CallTarget, signal?: AbortSignal | null, warn?: Warn) => Promise<PingResponse>
  /**
   * @param signal ends the request before its time limit when it aborts.
   * @param warn receives a warning about the Content-Type of a valid response.
   */
  fetchManifest: (target: CallTarget, signal?: AbortSignal | null, warn?: Warn) => Promise<Manifest>
  /**
   * Requests the records of one module, to be read element by element in bounded memory. Retries before the response
   * begins, when the platform refuses the connection or is busy.
   * @returns null when the platform responds with 304 to `validators`.
   */
  openRecords: (
    target: CallTarget,
    recordType: string,
    options: RecordsOptions,
  ) => Promise<RecordsPage | null>
  /**
   * Requests the digest of a module, within the limits of `openRecords`. Retries an error status only if the platform says
   * when. The bytes that it reads are limited by the number
   * of buckets.
   * @throws HubError when there is no complete response, or it is of another platform or module or reports a failure.
   */
  fetchDigest: (
    target: CallTarget & { platform_name: string },
    recordType: string,
    query: DigestQuery,
    options: Pick<RecordsOptions, 'signal' | 'firstByteSeconds' | 'retryUntil'>,
  ) => Promise<DigestAnswer>
  /** Reads the beginning of the records response of a module, within the time limit of a short request. */
  peekRecords: (target: CallTarget, recordType: string, signal: AbortSignal) => Promise<RecordsPeek>
  /**
   * Requests a search of the platform's own data by a keyword or a person's name, for at most 10 s and 1 MiB.
   * @returns the response, whose shape is not specified (specification 4.2); null without such an endpoint.
   */
  search: (target: CallTarget, query: string, signal: AbortSignal) => Promise<JsonValue | null>
  /**
   * Sends one request to a path below `/api/<segment>/` with any key, and returns any response.
   * @throws HubError when there was no response.
   */
  sendRaw: (
    target: Pick<CallTarget, 'source_base_url'>,
    path: string,
    options: RawRequestOptions,
  ) => Promise<RawResponse>
  close: () => Promise<void>
}

export function createPlatformClient(settings: PlatformClientSettings): PlatformClient {
  const sender = createRequestSender(settings)
  const { shortCallSeconds } = settings.timeouts
  const once = { firstByteSeconds: shortCallSeconds, retryUntil: null, conditions: null }

  async function fetchShort(
    target: CallTarget,
    path: string,
    signal: AbortSignal | null,
  ): Promise<{ response: PlatformResponse; value: JsonObject }> {
    const limits = { seconds: shortCallSeconds, bytes: MAX_SHORT_RESPONSE_BYTES }
    const { response, value } = await fetchJson(target, path, signal, limits)
    if (isJsonObject(value)) return { response, value }
    const reason = 'it is not a JSON object'
    throw new HubError('platform_response_invalid', { path: response.path, reason })
  }

  const fetchJson = (
    target: CallTarget,
    path: string,
    signal: AbortSignal | null,
    { seconds, bytes }: { seconds: number; bytes: number },
  ): Promise<{ response: PlatformResponse; value: JsonValue }> =>
    withRedactedKey(target.source_api_key, async () => {
      const timeout = AbortSignal.timeout(seconds * 1000)
      const response = await sender.get(target, sender.urlOf(target, path), {
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
        firstByteSeconds: seconds,
        retryUntil: null,
        conditions: null,
      })
      try {
        const value = await readJsonBody(response, bytes)
        const failure = isJsonObject(value) ? findReportedFailure(value, response) : null
        if (failure) throw failure
        return { response, value }
      } catch (error) {
        throw toBodyError(error, response.path)
      }
    })

  return {
    async ping(target, signal = null, warn) {
      const { response, value } = await fetchShort(target, 'ping', signal)
      if (isPing.Check(value)) {
        warnOfType(response, warn)
        return value
      }
      const [first] = isPing.Errors(value)
      const reason = first
        ? `${first.instancePath || 'it'} ${first.message}`
        : 'it is not a ping response'
      throw new HubError('platform_response_invalid', { path: response.path, reason })
    },
    async fetchManifest(target, signal = null, warn) {
      const { response, value } = await fetchShort(target, 'manifest', signal)
      const checked = checkManifest(value)
      if (checked.outcome === 'valid') {
        warnOfType(response, warn)
        return checked.manifest
      }
      throw new HubError('platform_response_invalid', {
        path: response.path,
        reason: checked.reason,
      })
    },
    async openRecords(target, recordType, { validators, prefixes, ...options }) {
      const url = sender.urlOf(target, `records/${encodeURIComponent(recordType)}`)
      if (prefixes) url.search = `prefix=${prefixes.join(',')}`
      const conditions = validators && conditionalHeaders(validators)
      const response = await sender.get(target, url, { ...options, conditions })
      if (!response.isModified) return null
      return openPages(response, {
        get: (next) => sender.get(target, next, { ...options, conditions: null }),
        maxPages: settings.timeouts.maxPages,
      })
    },
    fetchDigest: (target, recordType, query, options) =>
      withRedactedKey(target.source_api_key, async () => {
        const url = sender.urlOf(target, `records/${encodeURIComponent(recordType)}/digest`)
        url.search = toQueryText(query)
        try {
          const response = await sender.get(target, url, {
            ...{ ...options, conditions: null, isOptional: true, acceptGzip: isLong(query) },
          })
          return await readDigestResponse(response, query, {
            platform_name: target.platform_name,
            record_type: recordType,
          })
        } catch (error) {
          if (isUnsupported(error)) return { outcome: 'unsupported' }
          throw toBodyError(error, url.pathname)
        }
      }),
    peekRecords: (target, recordType, callerSignal) =>
      withRedactedKey(target.source_api_key, async () => {
        const signal = AbortSignal.any([AbortSignal.timeout(shortCallSeconds * 1000), callerSignal])
        const url = sender.urlOf(target, `records/${encodeURIComponent(recordType)}`)
        return peekRecords(await sender.get(target, url, { ...once, signal }))
      }),
    async search(target, query, signal) {
      const path = `search?query=${encodeURIComponent(query.toWellFormed())}`
      const limits = { seconds: settings.timeouts.searchSeconds, bytes: MAX_SEARCH_RESPONSE_BYTES }
      try {
        return (await fetchJson(target, path, signal, limits)).value
      } catch (error) {
        if (error instanceof HubError && error.code === 'platform_path_missing') return null
        throw error
      }
    },
    sendRaw: (target, path, options) => sender.sendRaw(sender.urlOf(target, path), options),
    close: sender.close,
  }
}

/** Another endpoint may respond in its place, such as one of a single-page application, or the list of records. */
const UNSUPPORTED = new Set([
  'platform_path_missing',
  'platform_not_json',
  'platform_response_too_large',
  'platform_redirected',
])

function isUnsupported(error: unknown): boolean {
  return error instanceof HubError && UNSUPPORTED.has(error.code)
}

async function readDigestResponse(
  response: PlatformResponse,
  query: DigestQuery,
  expected: { platform_name: string; record_type: string },
): Promise<DigestAnswer> {
  const text = await readText(response, maxDigestBytes(query))
  const value = parse(text, response.path)
  const read = readDigest(value, query)
  if (isJsonObject(value)) {
    const error = findEnvelopeError(value, expected, response)
    if (error) throw error
  }
  if (read === null) return { outcome: 'unsupported' }
  if ('reason' in read) return { outcome: 'invalid', ...read }
  return { outcome: 'digest', ...read, bytes: Buffer.byteLength(text) }
}

function warnOfType(response: PlatformResponse, warn?: Warn): void {
  const warning = describeContentType(response)
  if (warning !== null) warn?.(warning)
}

/**
 * Normalises the base URL of a platform, such as `https://host/app`: no slash at the end.
 * @throws HubError `source_url_invalid` with the reason.
 */
export function parseSourceUrl(text: string): string {
  const url = URL.parse(text.trim())
  const reason = !url
    ? 'it is not a URL such as https://hr.example.org'
    : url.protocol !== 'http:' && url.protocol !== 'https:'
      ? 'it must begin with https:// or http://'
      : url.username || url.password
        ? 'remove the user name and the password'
        : /[?#]/.test(text)
          ? 'remove everything from the ? or # on'
          : null
  if (!url || reason !== null) throw new HubError('source_url_invalid', { reason: reason ?? '' })
  return trimTrailing(url.href, '/')
}

/**
 * Removes the path of the endpoints from a base URL, e.g. of `https://host/app/api` or `https://host/app/api/hub/ping`.
 * Null for a URL without such a path.
 */
export function withoutApiPath(sourceBaseUrl: string): string | null {
  const shortened = sourceBaseUrl.replace(/\/api(?:\/[^/]+){0,2}$/i, '')
  return shortened === sourceBaseUrl ? null : shortened
}

/** @throws HubError `source_key_invalid` for a key that cannot be sent unchanged in a header. */
export function checkSourceKey(key: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw new HubError('source_key_invalid')
}

/**
 * Reads a JSON response into memory. Numbers keep their digits. The key of the request, which the response may quote,
 * is redacted.
 * @throws HubError `platform_response_too_large`, `platform_not_json` or `platform_response_invalid`, or the error of
 *   the interrupted body.
 */
async function readJsonBody(response: PlatformResponse, maxBytes: number): Promise<JsonValue> {
  const { path } = response
  const value = parse(await readText(response, maxBytes), path)
  if (findUnsafeJson(value, MAX_JSON_DEPTH) === null) return redactValue(value, [response.key])
  const reason = `it is nested more than ${MAX_JSON_DEPTH} levels deep, or has a __proto__ key`
  throw new HubError('platform_response_invalid', { path, reason })
}

function parse(text: string, path: string): JsonValue {
  try {
    return parseLossless(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    if (text.trim() === '') throw new HubError('platform_not_json', { got: 'nothing', path })
    const reason = `it is not valid JSON (${describeSyntaxError(text, error)})`
    throw new HubError('platform_response_invalid', { path, reason })
  }
}

async function readText({ body, path }: PlatformResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new HubError('platform_response_too_large', { path, limit: maxBytes })
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks)
  if (!isUtf8(text))
    throw new HubError('platform_response_invalid', { path, reason: `it ${NOT_UTF8}` })
  return text.toString().replace(/^\uFEFF/, '')
}
