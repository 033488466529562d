/** Classifies the result of an attempt to send a push. */
import { pushRetryRule } from '@recordhub/protocol/push-retry'
import { parseRetryAfter } from '@recordhub/protocol/retry-after'

export type SendResult =
  | {
      responded: true
      url: string
      status: number
      /** The delay in `Retry-After`; 0 without it. */
      retryAfterMs: number
      /** The parsed body; null if it is not a JSON object, such as the error page of a proxy. */
      body: Readonly<Record<string, unknown>> | null
    }
  | { responded: false; reason: string }

export type Stored = {
  outcome: 'stored'
  recordId: number
  /** The effect of the push: `created`, `updated`, `unchanged`, or `stale` if the hub has a newer version. */
  effect: string
  warnings: readonly string[]
}

/** The hub never accepts this push. It stores the content of a push rejected with 422 for its operator. */
export type Rejected = {
  outcome: 'rejected'
  status: number
  code: string
  message: string
  /** The errors, by member of the body. */
  errors: Readonly<Record<string, readonly string[]>>
}

/** The hub may accept the same push later. */
export type Retryable = {
  outcome: 'retryable'
  reason: string
  minDelayMs: number
  /** Whether retries fail until an operator fixes a key, an address or a setting. */
  requiresAction: boolean
}

/** The maximum delay accepted from a response. */
const MAX_RETRY_AFTER_MS = 3_600_000

export function classifyResponse(result: SendResult): Stored | Rejected | Retryable {
  if (!result.responded) {
    return { outcome: 'retryable', reason: result.reason, minDelayMs: 0, requiresAction: false }
  }
  const { url, status, body, retryAfterMs } = result
  if (status >= 200 && status < 300 && body?.['success'] === true) {
    const { record_id, outcome, warnings } = body
    if (typeof record_id === 'number') {
      const effect = typeof outcome === 'string' ? outcome : ''
      return { outcome: 'stored', recordId: record_id, effect, warnings: stringsIn(warnings) }
    }
  }
  const { retry, requiresAction, meaning } = pushRetryRule(status)
  const message = typeof body?.['message'] === 'string' ? body['message'] : meaning
  if (!retry) {
    const code = typeof body?.['code'] === 'string' ? body['code'] : ''
    return { outcome: 'rejected', status, code, message, errors: errorsIn(body?.['errors']) }
  }
  // Another body indicates a wrong address, or a proxy in front of the hub.
  const isFromHub = typeof body?.['success'] === 'boolean'
  const from = isFromHub && status !== 404 ? '' : ` from ${url}`
  const reason = isFromHub
    ? `HTTP ${status}${from}: ${message}`
    : `HTTP ${status}${from}, and the response is not from a hub. Check the hub's address.`
  const minDelayMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)
  return { outcome: 'retryable', reason, minDelayMs, requiresAction }
}

/** The delay of `Retry-After` in milliseconds; 0 without a valid one. A date is relative to the `Date` header. */
export function retryAfterMs(headers: Headers): number {
  const now = new Date(headers.get('date') ?? Number.NaN)
  return parseRetryAfter(headers.get('retry-after') ?? '', now) ?? 0
}

function errorsIn(errors: unknown): Record<string, string[]> {
  if (typeof errors !== 'object' || errors === null) return {}
  return Object.fromEntries(
    Object.entries(errors).map(([member, reasons]) => [member, stringsIn(reasons)]),
  )
}

function stringsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
