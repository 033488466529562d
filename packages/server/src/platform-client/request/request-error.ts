import { parseRetryAfter } from '@recordhub/protocol/retry-after'
import { concernsPlatform, type RequestFailure } from '../../domain/pull/retry.ts'
import { HubError } from '../../errors.ts'
import { errorCodeOf } from '../../lib/files/error-code.ts'

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS|ERR_SSL|HOSTNAME_MISMATCH/
const TIMED_OUT = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
  'ABORT_ERR',
  'TimeoutError',
])
/** No connection was made: no endpoint of the platform can be requested. */
const NOT_CONNECTED = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'UND_ERR_CONNECT_TIMEOUT',
])
const NO_TLS = 'its port does not use TLS; check whether the URL must begin with http://'
const MAY_USE_TLS = 'if its port uses TLS, the URL must begin with https://'
const NO_HTTP = 'its response is not valid HTTP'
const CUT_OFF = 'the connection was cut off'
const NO_FILES = 'the hub has too many files and connections open; raise its limit (ulimit -n)'
const REASONS: Record<string, string> = {
  EMFILE: NO_FILES,
  ENFILE: NO_FILES,
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: CUT_OFF,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EHOSTUNREACH: 'its address cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  UND_ERR_SOCKET: CUT_OFF,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response was cut off',
  UND_ERR_ABORTED: 'the response was cut off',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too large',
  ERR_STREAM_PREMATURE_CLOSE: 'the response was cut off',
  Z_BUF_ERROR: 'the compressed response was cut off',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s',
  UND_ERR_HEADERS_TIMEOUT: 'it sent nothing',
  UND_ERR_BODY_TIMEOUT: 'it stopped sending in the middle of the response',
}
/** The error codes of zlib, Brotli and Zstandard for damaged data. */
const DAMAGED = /^Z_DATA_ERROR$|^ERR__|^ZSTD_/

type NetworkFailure = Extract<RequestFailure, { network: unknown }>['network']

/**
 * Translates a network error into an error of the catalogue.
 * @param url of the request; null after the response has begun.
 */
export function toRequestError(error: unknown, url: URL | null = null): HubError {
  if (error instanceof HubError) return error
  const known = findHubError(error)
  if (known) return known
  const code = codeOf(error)
  const reason = reasonOf(code)
  const optionsFor = (network: NetworkFailure) => ({
    concernsPlatform: concernsPlatform({ network }),
    cause: error,
  })
  if (CERTIFICATE.test(code) && reason !== NO_TLS) {
    return new HubError(
      'platform_certificate_invalid',
      { reason },
      optionsFor('certificate_invalid'),
    )
  }
  if (TIMED_OUT.has(code)) {
    const timeout = REASONS[code] ?? 'it took too long'
    return new HubError('platform_timed_out', { reason: timeout }, optionsFor('no_response'))
  }
  if (NOT_CONNECTED.has(code)) {
    return new HubError('platform_unreachable', { reason }, optionsFor('not_connected'))
  }
  // A port that uses TLS closes the connection, or responds with a TLS record.
  const mayUseTls = url?.protocol === 'http:' && [CUT_OFF, NO_HTTP].includes(reason)
  const params = { reason: mayUseTls ? `${reason}; ${MAY_USE_TLS}` : reason }
  return new HubError('platform_unreachable', params, optionsFor('cut_off'))
}

/** The error of a request over http to a port that uses TLS, as common servers respond to it; null for others. */
export function findTlsError(url: URL, text: string): HubError | null {
  if (url.protocol !== 'http:' || !/plain HTTP|HTTP request to an HTTPS/i.test(text)) return null
  const reason = 'its port uses TLS; the URL must begin with https://'
  const scope = { concernsPlatform: concernsPlatform({ network: 'not_connected' }) }
  return new HubError('platform_unreachable', { reason }, scope)
}

/** The error of a 429 response, with its Retry-After. */
export function toThrottledError(path: string, header: (name: string) => string): HubError {
  const pause_ms = retryAfterOf(header)
  const retryAfter = pause_ms === null ? {} : { retryAfterSeconds: Math.ceil(pause_ms / 1000) }
  const options = { ...retryAfter, concernsPlatform: concernsPlatform({ status: 429 }) }
  return new HubError('platform_throttled', { path }, options)
}

/** The Retry-After of a response in milliseconds; null without one. */
export function retryAfterOf(header: (name: string) => string): number | null {
  const sent = new Date(header('date'))
  const now = Number.isNaN(sent.getTime()) ? new Date() : sent
  return parseRetryAfter(header('retry-after'), now)
}

/** Translates an error that occurred while the body of a 200 response was read. */
export function toBodyError(error: unknown, path: string): HubError {
  const known = toRequestError(error)
  if (known.code !== 'platform_unreachable') return known
  if (DAMAGED.test(codeOf(error))) {
    const reason = 'its compressed data are damaged, or its Content-Encoding is wrong'
    return new HubError('platform_response_invalid', { path, reason }, { cause: error })
  }
  const cause = reasonOf(codeOf(error))
  const reason = cause === CUT_OFF ? 'the response was cut off' : cause
  return new HubError('platform_broke_off', { path, reason }, { cause: error })
}

function reasonOf(code: string): string {
  if (code.startsWith('HPE_') || code === 'HTTPParserError') {
    return NO_HTTP
  }
  return REASONS[code] ?? (code || 'an unknown error')
}

/** undici wraps the errors of our connector. */
function findHubError(error: unknown): HubError | null {
  if (!(error instanceof Error)) return null
  if (error.cause instanceof HubError) return error.cause
  return error.cause === undefined ? null : findHubError(error.cause)
}

/** The first error code in a chain of causes. An AggregateError has one error for each address tried. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const code = errorCodeOf(error)
  if (code !== '') return code
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  if (error.cause !== undefined) return codeOf(error.cause)
  return error.name
}
