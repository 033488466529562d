/** What becomes of a push by what the hub answered: decisions without effects. */

export type HubAnswer =
  | { status: number; retryAfterSeconds: number | null; body: HubBody | null }
  /** It was not reached, or did not answer in time. */
  | { status: 0; reason: string }

export type HubBody = {
  success?: boolean
  message?: string
  code?: string
  record_id?: number
  errors?: Record<string, string[]>
}

export type Delivery =
  | { outcome: 'stored'; recordId: number | null; message: string }
  /** The same push will never be taken: it is wrong, or the hub keeps it for its operator. */
  | {
      outcome: 'refused'
      status: number
      code: string
      message: string
      errors: Record<string, string[]>
    }
  /** May be taken later as it is. */
  | { outcome: 'again'; afterMs: number; reason: string }

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000
/** What only people can mend, such as a key that is not valid, is asked for less often. */
const PEOPLE_WAIT_MS = 30_000
/** Statuses that pass by themselves. */
const PASSING = new Set([0, 408, 425, 429, 500, 502, 503, 504])
/** What the hub's operator can mend without a new push: the key, the address, the platform's status. */
const MENDABLE = new Set([401, 403, 404])

/**
 * @param attempt how often it was tried, this time included.
 * @param random between 0 and 1: waits are spread, so that platforms do not come back all at once.
 */
export function judgeAnswer(answer: HubAnswer, attempt: number, random: number): Delivery {
  if (answer.status === 0)
    return again(waitOf(attempt, random), 'reason' in answer ? answer.reason : '')
  if (!('body' in answer)) return again(waitOf(attempt, random), `status ${answer.status}`)
  const { status, body, retryAfterSeconds } = answer
  const message = body?.message ?? `The hub answered with status ${status}.`
  if (status >= 200 && status < 300) {
    return { outcome: 'stored', recordId: body?.record_id ?? null, message }
  }
  if (PASSING.has(status) || MENDABLE.has(status)) {
    const least = (retryAfterSeconds ?? 0) * 1000
    const usual = MENDABLE.has(status) ? PEOPLE_WAIT_MS : waitOf(attempt, random)
    return again(Math.max(least, usual), message)
  }
  return { outcome: 'refused', status, code: body?.code ?? '', message, errors: body?.errors ?? {} }
}

const again = (afterMs: number, reason: string): Delivery => ({ outcome: 'again', afterMs, reason })

function waitOf(attempt: number, random: number): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 20))
  return Math.round(full / 2 + (full / 2) * random)
}
