import { concernsPlatform, type RequestFailure } from '../../domain/retry.ts'
import { HubError } from '../../errors.ts'
import { parseRetryAfter } from '../../lib/time/retry-after.ts'
import { quoteRedacted } from './redact-key.ts'

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
const NO_TLS = 'there is no TLS at its port: http:// may be meant'
const CUT_OFF = 'the connection was cut off'
const REASONS: Record<string, string> = {
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: CUT_OFF,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its network',
  UND_ERR_SOCKET: CUT_OFF,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut off',
  UND_ERR_ABORTED: 'the answer was cut off',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too large',
  ERR_STREAM_PREMATURE_CLOSE: 'the answer was cut off',
  Z_BUF_ERROR: 'the compressed answer was cut off',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s',
  UND_ERR_HEADERS_TIMEOUT: 'it sent nothing at all',
  UND_ERR_BODY_TIMEOUT: 'silence amid the answer',
}
/** What the decoders of zlib, Brotli and Zstandard say of bytes that are none of theirs. */
const DAMAGED = /^Z_DATA_ERROR$|^ERR__|^ZSTD_/

type NetworkFailure = Extract<RequestFailure, { network: unknown }>['network']

/** What went wrong on the way to a platform, in the words of the catalogue. */
export function toRequestError(error: unknown): HubError {
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
    const late = REASONS[code] ?? 'it took too long'
    return new HubError('platform_timed_out', { reason: late }, optionsFor('no_response'))
  }
  const network = NOT_CONNECTED.has(code) ? 'not_connected' : 'cut_off'
  return new HubError('platform_unreachable', { reason }, optionsFor(network))
}

/** A 429, with the time that it asks for. */
export function toThrottledError(path: string, header: (name: string) => string): HubError {
  const pause_ms = retryAfterOf(header)
  const asked = pause_ms === null ? {} : { retryAfterSeconds: Math.ceil(pause_ms / 1000) }
  const options = { ...asked, concernsPlatform: concernsPlatform({ status: 429 }) }
  return new HubError('platform_throttled', { path }, options)
}

/** How long an answer asks to be left alone, in milliseconds; null where it does not say. */
export function retryAfterOf(header: (name: string) => string): number | null {
  const sent = new Date(header('date'))
  const now = Number.isNaN(sent.getTime()) ? new Date() : sent
  return parseRetryAfter(header('retry-after'), now)
}

/** What languages without types make of false. */
const SAYS_NO: ReadonlySet<unknown> = new Set([false, 0, '0', 'false'])

/** An answer in which the platform itself says that it failed; null for any other. */
export function findReportedFailure(
  { success, message }: Readonly<Record<string, unknown>>,
  { path, key }: { path: string; key: string },
): HubError | null {
  if (!SAYS_NO.has(success)) return null
  const words = typeof message === 'string' ? `: ${quoteRedacted(message, key, 300)}` : ''
  return new HubError('platform_reports_failure', { path, words })
}

/** What went wrong while a platform's answer was read, after it had begun well. */
export function toBodyError(error: unknown, path: string): HubError {
  const known = toRequestError(error)
  if (known.code !== 'platform_unreachable') return known
  if (DAMAGED.test(codeOf(error))) {
    const reason = 'its compression is damaged, or is not what its Content-Encoding says'
    return new HubError('platform_answer_invalid', { path, reason }, { cause: error })
  }
  const told = reasonOf(codeOf(error))
  const reason = told === CUT_OFF ? 'the answer was cut off' : told
  return new HubError('platform_broke_off', { path, reason }, { cause: error })
}

function reasonOf(code: string): string {
  if (code.startsWith('HPE_') || code === 'HTTPParserError') {
    return 'it does not speak HTTP as it should'
  }
  return REASONS[code] ?? (code || 'an unknown fault')
}

/** An error that our own connector raised arrives wrapped. */
function findHubError(error: unknown): HubError | null {
  if (!(error instanceof Error)) return null
  if (error.cause instanceof HubError) return error.cause
  return error.cause === undefined ? null : findHubError(error.cause)
}

/** The first code in a chain of causes. An AggregateError holds one for each address tried. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  if (error.cause !== undefined) return codeOf(error.cause)
  return error.name
}
