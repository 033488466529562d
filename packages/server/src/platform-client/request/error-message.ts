/** What a platform says about a failure: in the body of an error response, or with a `success` that is not true. */
import type { Dispatcher } from 'undici'
import { redactText } from '../../domain/platform/redact-keys.ts'
import { type FieldErrors, HubError } from '../../errors.ts'
import { toSingleLine } from '../../lib/text/code-points.ts'
import { findTlsError } from './request-error.ts'
import { decodeBody, headerOf, type PlatformTimeouts } from './timeouts.ts'

const MAX_QUOTED = 300
const MAX_QUOTED_VALUE = 100
const MAX_READ_BYTES = 64 * 1024
const MAX_READ_MS = 2000
/** Members of an error object: of frameworks, and of RFC 9457. */
const MEMBERS = ['message', 'error', 'detail', 'title']

/**
 * Reads the body of an error response and adds the platform's message to the error. The key of the request, which the
 * message may quote, is redacted. A body that is slow, damaged or a page adds nothing.
 */
export async function withPlatformMessage(
  error: HubError,
  { headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  { url, path, key, timeouts }: { url: URL; path: string; key: string; timeouts: PlatformTimeouts },
): Promise<HubError> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const timer = setTimeout(() => body.destroy(), MAX_READ_MS)
  try {
    const encoding = headerOf(headers, 'content-encoding')
    for await (const chunk of decodeBody(body, { path, encoding, timeouts })) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_READ_BYTES) return error
    }
  } catch {
    return error
  } finally {
    clearTimeout(timer)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  const tlsError = findTlsError(url, text)
  if (tlsError) return tlsError
  const message = findErrorMessage(text, headerOf(headers, 'content-type'))
  if (message === '') return error
  const { code, retryAfterSeconds, concernsPlatform } = error
  const quoted = toSingleLine(redactText(message, [key]), MAX_QUOTED)
  return HubError.withMessage(code, `${error.message} The platform says: "${quoted}"`, {
    retryAfterSeconds,
    concernsPlatform,
  })
}

/** The message of a JSON object or of a plain text; "" for anything else, such as a page. */
export function findErrorMessage(text: string, contentType: string): string {
  const found = findMessage(parse(text))
  return found ?? (/^text\/plain/i.test(contentType) ? text.trim() : '')
}

/** Whether a response says that it is no success. Only `true` is one; a response without `success` says nothing. */
export function reportsFailure({ success }: Readonly<Record<string, unknown>>): boolean {
  return success !== undefined && success !== true
}

/** The error of a response that reports a failure; null for any other response. */
export function findReportedFailure(
  response: Readonly<Record<string, unknown>>,
  { path, key }: { path: string; key: string },
): HubError | null {
  if (!reportsFailure(response)) return null
  const value = quoteRedacted(JSON.stringify(response['success']), key, MAX_QUOTED_VALUE)
  const message = findMessage(response)
  const quoted = message === null ? '' : `: ${quoteRedacted(message, key, MAX_QUOTED)}`
  return new HubError('platform_reports_failure', { path, value, quoted })
}

function findMessage(value: unknown): string | null {
  return messageOf(value) ?? messageOf(Object(value)['error'])
}

function messageOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const texts = MEMBERS.map((member): unknown => Reflect.get(value, member))
  return (
    texts.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? null
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Removes the source key from the message of an error: the response of a platform may quote the key of the request. */
export async function withRedactedKey<Result>(
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof HubError ? withoutKey(error, key) : error
  }
}

/** Without the cause, which quotes the same text and would be logged. */
function withoutKey(error: HubError, key: string): HubError {
  const message = redactText(error.message, [key])
  const errors = error.errors && redactErrors(error.errors, key)
  const isClean =
    message === error.message && JSON.stringify(errors) === JSON.stringify(error.errors)
  if (isClean) return error
  const { code, retryAfterSeconds, concernsPlatform } = error
  return HubError.withMessage(code, message, { errors, retryAfterSeconds, concernsPlatform })
}

function redactErrors(errors: FieldErrors, key: string): FieldErrors {
  const clean = Object.entries(errors).map(([member, messages]) => [
    redactText(member, [key]),
    messages.map((message) => redactText(message, [key])),
  ])
  return Object.fromEntries(clean)
}

/** Quotes the beginning of a text from a platform. The key is removed before the text is cut, so that no part of it remains. */
export function quoteRedacted(text: string, key: string, length: number): string {
  return redactText(text, [key]).slice(0, length)
}
