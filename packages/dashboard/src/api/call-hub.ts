/** Every call of the page to the hub goes through here (specification 4.1: headers, CSRF token, same origin). */
import type { ErrorAnswer } from '@recordhub/protocol'
import { UNATTENDED_HEADER } from '@recordhub/protocol/constants'
import { isUnattended } from './attendance.ts'
import { readCsrfToken } from './csrf-token.ts'
import { retryAfterOf } from './retry-after.ts'
import { renewSession, waitForSecondFactor, waitForSignIn } from './session.ts'

/** What the hub said where it did not do what was asked; `status` is 0 where it did not answer. */
export class HubCallError extends Error {
  readonly status: number
  readonly code: string
  readonly errors: Readonly<Record<string, string[]>>
  readonly requestId: string | null
  /** How long the hub asks not to be asked again, where it says so. */
  readonly retryAfterSeconds: number
  /** The whole answer, where it was JSON. */
  readonly body: unknown

  constructor(status: number, body: Partial<ErrorAnswer> | null, retryAfterSeconds = 0) {
    super(body?.message ?? wordsFor(status))
    this.status = status
    this.code = body?.code ?? 'unknown'
    this.errors = body?.errors ?? {}
    this.requestId = body?.request_id ?? null
    this.retryAfterSeconds = retryAfterSeconds
    this.body = body
  }
}

export type HubCall = {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  body?: unknown
  /** A body that is serialised already, for values whose numbers keep their digits. */
  json?: string
  signal?: AbortSignal | undefined
  /** JSON where left out. */
  accept?: string
}

/**
 * Calls the hub and gives its JSON. A session that has ended is renewed by the operator first, and the
 * call is made again, so nothing that was typed is lost.
 * @throws HubCallError
 */
export async function callHub<Answer>(path: string, call: HubCall = {}): Promise<Answer> {
  const response = await openHub(path, call)
  return response.json().catch(() => null)
}

/**
 * As {@link callHub}, for an answer that is read as it comes.
 * @throws HubCallError
 */
export async function openHub(path: string, call: HubCall = {}): Promise<Response> {
  const sentWith = readCsrfToken()
  const response = await send(path, call)
  if (hasNoSession(response)) {
    // After a sign-in in another tab the session is valid, and only the token is out of date.
    if (response.status === TOKEN_REJECTED) await renewSession()
    await waitForSignIn(sentWith)
    return openHub(path, call)
  }
  if (response.ok) return response
  const body = await response.json().catch(() => null)
  const error = new HubCallError(response.status, body, retryAfterOf(response))
  if (!SECOND_FACTOR.includes(error.code)) throw error
  await waitForSecondFactor()
  return openHub(path, call)
}

/** A password alone was not enough. */
const SECOND_FACTOR: readonly string[] = ['second_factor_required', 'second_factor_unused']

async function send(path: string, call: HubCall): Promise<Response> {
  const { method = 'GET', signal, accept = 'application/json' } = call
  const body = call.body === undefined ? call.json : JSON.stringify(call.body)
  const headers: Record<string, string> = {
    Accept: accept,
    'X-Requested-With': 'XMLHttpRequest',
  }
  if (isUnattended()) headers[UNATTENDED_HEADER] = '1'
  if (method !== 'GET') headers['X-CSRF-TOKEN'] = readCsrfToken()
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  try {
    return await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new HubCallError(0, null)
  }
}

/** The token does not belong to the session, or a dashboard POST has no session. */
const TOKEN_REJECTED = 419

/** Whether a call was rejected because it has no session, or not the token of the current one. */
function hasNoSession({ status }: Response): boolean {
  return status === 401 || status === TOKEN_REJECTED
}

function wordsFor(status: number): string {
  return status === 0
    ? 'The hub cannot be reached. Check the connection and try again.'
    : `The hub answered with status ${status}. Try again.`
}

/** What to tell a person of an error. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
