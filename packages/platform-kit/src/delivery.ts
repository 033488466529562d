/** What becomes of a push by what came of sending it: decisions without effects. */
import { MAX_PUSH_BACKOFF_SECONDS, pushRetryRule } from '@recordhub/protocol/push-retry'

export type SendResult =
  | {
      answered: true
      status: number
      /** How long the answer asks to be left alone. */
      retryAfterMs: number
      /** Parsed; null where it is no JSON object: a proxy's page, for instance. */
      body: Readonly<Record<string, unknown>> | null
    }
  | { answered: false; reason: string }

export type Stored = {
  outcome: 'stored'
  recordId: number
  /** What it did: `stale` where the hub has something newer. */
  effect: string
  warnings: readonly string[]
}

/** The same push will never be taken. Its content is kept by the hub for its operator, where that could help. */
export type Refused = {
  outcome: 'refused'
  status: number
  code: string
  message: string
  /** Which members are wrong, and why. */
  errors: Readonly<Record<string, readonly string[]>>
}

/** May be taken later as it is. */
export type Again = {
  outcome: 'again'
  reason: string
  leastMs: number
  /** It does not pass by itself: somebody has to mend a key or an address. */
  needsPeople: boolean
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = MAX_PUSH_BACKOFF_SECONDS * 1000
/** However long a hub, or what stands before it, asks to be left alone. */
const LONGEST_ASKED_MS = 3_600_000

export function judgeSending(result: SendResult): Stored | Refused | Again {
  if (!result.answered) {
    return { outcome: 'again', reason: result.reason, leastMs: 0, needsPeople: false }
  }
  const { status, body, retryAfterMs } = result
  const isOfHub = typeof body?.['success'] === 'boolean'
  if (status >= 200 && status < 300 && body?.['success'] === true) {
    const { record_id, outcome, warnings } = body
    if (typeof record_id === 'number') {
      const effect = typeof outcome === 'string' ? outcome : ''
      return { outcome: 'stored', recordId: record_id, effect, warnings: textsOf(warnings) }
    }
  }
  const { retry, needsPeople, meaning } = pushRetryRule(status)
  const message = typeof body?.['message'] === 'string' ? body['message'] : meaning
  if (!retry) {
    const code = typeof body?.['code'] === 'string' ? body['code'] : ''
    return { outcome: 'refused', status, code, message, errors: errorsOf(body?.['errors']) }
  }
  return {
    outcome: 'again',
    // What is not the hub's own speaks for a wrong address, or for something that stands before it.
    reason: isOfHub
      ? `HTTP ${status}: ${message}`
      : `HTTP ${status}, and not in the words of a hub: is the address right?`,
    leastMs: Math.min(retryAfterMs, LONGEST_ASKED_MS),
    needsPeople,
  }
}

/**
 * How long to wait before the next try.
 * @param failures how many there were in a row, this one included.
 * @param random between 0 and 1: waits are spread, so that not all platforms come back at once.
 */
export function waitAfter(again: Again, failures: number, random: number): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20))
  return Math.round(again.leastMs + (full / 2) * (1 + random))
}

/**
 * What a `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds; 0 where it says nothing. A date counts from the
 * answer's own `Date`, since clocks differ.
 */
export function retryAfterMs(headers: Headers): number {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const wait = Date.parse(text) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(wait) ? 0 : Math.max(0, wait)
}

function errorsOf(errors: unknown): Record<string, string[]> {
  if (typeof errors !== 'object' || errors === null) return {}
  return Object.fromEntries(
    Object.entries(errors).map(([member, faults]) => [member, textsOf(faults)]),
  )
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}
