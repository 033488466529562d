/**
 * How a platform handles a push after a response, by its status. The kit follows these rules, the conformance check
 * applies them, and the integration guide documents them.
 */

export type PushRetryRule = {
  /** Whether to retry the push with backoff. A push that is not retried was rejected permanently. */
  retry: boolean
  /** Whether retries fail until a key, an address or a setting of the hub is corrected. */
  requiresAction: boolean
  meaning: string
}

const REJECTED = { retry: false, requiresAction: false }
const RETRY = { retry: true, requiresAction: false }
const RETRY_UNTIL_FIXED = { retry: true, requiresAction: true }

export const PUSH_RETRY_RULES: Readonly<Record<number, PushRetryRule>> = {
  400: { ...REJECTED, meaning: 'The body is not valid JSON.' },
  405: { ...REJECTED, meaning: 'The method is neither POST nor PATCH.' },
  410: { ...REJECTED, meaning: 'The record was erased at the hub.' },
  413: { ...REJECTED, meaning: 'The body is too large.' },
  415: { ...REJECTED, meaning: 'The body was not sent as `application/json`.' },
  422: { ...REJECTED, meaning: 'The hub rejected the record; the response says why.' },
  401: {
    ...RETRY_UNTIL_FIXED,
    meaning: 'The hub API key is missing or wrong, or the platform is inactive.',
  },
  403: { ...RETRY_UNTIL_FIXED, meaning: 'A proxy or firewall blocks the request.' },
  404: { ...RETRY_UNTIL_FIXED, meaning: 'The address of the hub is wrong.' },
  408: { ...RETRY, meaning: 'The request took too long.' },
  425: { ...RETRY, meaning: 'The server is not ready to process the request.' },
  429: { ...RETRY, meaning: 'Too many requests.' },
}

/** Maximum pause between two attempts, unless `Retry-After` requires a longer one. */
export const MAX_PUSH_BACKOFF_SECONDS = 60

/** The rule for every 5xx status. */
export const SERVER_ERROR_RULE: PushRetryRule = {
  ...RETRY,
  meaning: 'The hub, or a proxy in front of it, is unavailable.',
}

/** The rule for a response that is not a success. A push is retried unless the table lists its status as rejected. */
export function pushRetryRule(status: number): PushRetryRule {
  if (status >= 500) return SERVER_ERROR_RULE
  const rule = PUSH_RETRY_RULES[status]
  return rule ?? { ...RETRY_UNTIL_FIXED, meaning: 'The response is not one of a hub.' }
}

/** The rule in one sentence, for messages and documents. */
export const PUSH_RETRY_SUMMARY = `After ${list(false)}, give up the push and report it. After ${list(true)} and 5xx, and without a response, keep the push and retry it with backoff.`

function list(retry: boolean): string {
  const statuses = Object.entries(PUSH_RETRY_RULES)
    .filter(([, rule]) => rule.retry === retry)
    .map(([status]) => status)
  return retry ? statuses.join(', ') : `${statuses.slice(0, -1).join(', ')} and ${statuses.at(-1)}`
}
