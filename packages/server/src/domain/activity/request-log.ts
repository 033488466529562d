/** The request log: each request to the receiver with its response, as operators see it for a day. */
import { REMOVED_KEY } from '../platform/redact-keys.ts'

/** A request to the receiver as it is stored. */
export type LoggedRequest = {
  /** When its headers were received. */
  at: string
  /** The platform of its key; null without a valid key. */
  platform_id: number | null
  method: string
  path: string
  status: number
  latency_us: number
  size: number | null
  record_type: string | null
  reference_number: string | null
  /** The outcome of an accepted push, or the code of an error. */
  outcome: string | null
  record_id: number | null
  request_id: string
  key_hint: string | null
  address: string
  /** The requests before this one that are not logged. */
  skipped: number
  /** Null if the log keeps only the line. */
  details: RequestDetails | null
}

/** A request as it is read, without its details. */
export type RequestLine = Omit<LoggedRequest, 'details'> & { body_kept: boolean }

/** The JSON of a request without details, whose first element is its `platform_id`. See {@link encodeRequest}. */
export type EncodedRequest = string

/** The elements of an {@link EncodedRequest}, as a list, because names would take more room than the values. */
export type RequestElements = readonly [
  platform_id: number | null,
  at: number,
  method: string,
  path: string,
  status: number,
  latency_us: number,
  size: number | null,
  record_type: string | null,
  reference_number: string | null,
  outcome: string | null,
  record_id: number | null,
  request_id: string,
  key_hint: string | null,
  address: string,
  skipped: number,
  body_kept: boolean,
]

export type RequestDetails = {
  headers: Record<string, string>
  body: string | null
  response: string | null
}

/**
 * The limits of a process, so that a flood neither fills the memory nor displaces the requests of a day. Requests above
 * a limit are counted in the next one that is logged.
 */
export const REQUEST_LOG_LIMITS = {
  /** Requests that wait to be saved. */
  waiting: 5000,
  /** The size of the headers, bodies and responses that wait, above which only lines are added. */
  waitingBytes: 4 * 1024 * 1024,
  /** Per second, without a valid key. */
  unknownPerSecond: 10,
  /** Per second, accepted requests with headers, body and response; the others keep their line. */
  acceptedBodiesPerSecond: 10,
  /** Per second and platform, the same for rejected requests. */
  rejectedBodiesPerSecond: 50,
  /** The size of a body or a response that is kept. */
  textBytes: 65_536,
}

/** Counted in addition to headers, body and response, so that the limit in bytes also limits the number of requests. */
const LINE_BYTES = 300

/** What a request takes of the limit of the log. */
export function sizeOf(request: LoggedRequest | EncodedRequest): number {
  if (typeof request === 'string' || request.details === null) return LINE_BYTES
  const { headers, body, response } = request.details
  const texts = [JSON.stringify(headers), body ?? '', response ?? '']
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), LINE_BYTES)
}

/**
 * The end of each `key_hint` (`maskUnknownKey`). An encoded request does not have it: V8 would store its text, and that of
 * its batch, with two bytes a character, which doubles the time that it takes to save the batch.
 */
const ELLIPSIS = '…'

/** @param at the time in milliseconds, which costs less than the text of {@link LoggedRequest.at}. */
export function encodeRequest(
  request: Omit<LoggedRequest, 'at' | 'details'>,
  at: number,
  body_kept = false,
): EncodedRequest {
  const elements: RequestElements = [
    request.platform_id,
    at,
    request.method,
    request.path,
    request.status,
    request.latency_us,
    request.size,
    request.record_type,
    request.reference_number,
    request.outcome,
    request.record_id,
    request.request_id,
    request.key_hint?.slice(0, -ELLIPSIS.length) ?? null,
    request.address,
    request.skipped,
    body_kept,
  ]
  return JSON.stringify(elements)
}

export function decodeRequest(elements: RequestElements): RequestLine {
  const [platform_id, at, method, path, status, latency_us, size, record_type, ...rest] = elements
  const [reference_number, outcome, record_id, request_id, key_hint, address, ...last] = rest
  const [skipped, body_kept] = last
  return {
    ...{ platform_id, at: new Date(at).toISOString(), method, path, status, latency_us, size },
    ...{ record_type, reference_number, outcome, record_id, request_id, address },
    ...{ key_hint: key_hint === null ? null : key_hint + ELLIPSIS, skipped, body_kept },
  }
}

/** The platform of an encoded request; null without one. */
export function platformOf(request: EncodedRequest): number | null {
  const id = Number.parseInt(request.slice(1), 10)
  return Number.isNaN(id) ? null : id
}

const SECRET_HEADER = /auth|cookie|key|token|secret|passw|signature|credential|session/i
/** The log has the address of the client with the precision that the hub stores. */
const ADDRESS_HEADER = /forwarded|(?:real|client|connecting)-ip/i
const MAX_HEADER_LENGTH = 500

/**
 * Removes the values of headers that are secret by their name, addresses of clients, and keys.
 * @param redact replaces known keys in a text.
 */
export function redactHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  redact: (text: string) => string,
): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => !ADDRESS_HEADER.test(name))
  const redacted = shown.map(([name, value = '']) => [
    redact(name),
    SECRET_HEADER.test(name)
      ? REMOVED_KEY
      : redact([value].flat().join(', ')).slice(0, MAX_HEADER_LENGTH),
  ])
  return Object.fromEntries(redacted)
}

/** The statuses that a filter matches: a class such as `4xx`, or one such as `422`. */
export function toStatusRange(filter: string): { min: number; max: number } {
  const min = Number(filter.replace('xx', '00'))
  return { min, max: filter.endsWith('xx') ? min + 99 : min }
}
