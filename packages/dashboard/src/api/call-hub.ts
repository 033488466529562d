/** All requests of the page to the hub, except polling and sign-in. */

import type { ErrorResponse } from '@recordhub/protocol'
import { UNATTENDED_HEADER } from '@recordhub/protocol/constants'
import { TEXTS } from '../texts.ts'
import { pageHeaders, readCsrfToken } from './csrf-token.ts'
import { isIdle } from './idle-detection.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { renewSession, replacements, waitForSecondFactor, waitForSignIn } from './session.ts'

/** An error response of the hub. `status` is 0 if there was no response. */
export class HubCallError extends Error {
  readonly status: number
  readonly code: string
  readonly errors: Readonly<Record<string, string[]>>
  readonly requestId: string | null
  /** The delay in `Retry-After`; 0 if it is absent. */
  readonly retryAfterSeconds: number
  /** The response body; null if it was not JSON. */
  readonly body: unknown

  constructor(status: number, body: Partial<ErrorResponse> | null, retryAfterSeconds = 0) {
    super(body?.message ?? messageForStatus(status))
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
  /** A serialised body, for values whose numbers must keep their digits. */
  json?: string
  signal?: AbortSignal | undefined
  /** JSON by default. */
  accept?: string
}

/**
 * Sends a request to the hub and returns the parsed response body. If the session has ended, waits until the operator
 * has signed in again and repeats the request, so no input is lost. It never settles if another operator has signed in.
 * @throws HubCallError
 */
export async function callHub<Body>(path: string, call: HubCall = {}): Promise<Body> {
  const response = await openHub(path, call)
  return response.json().catch(() => null)
}

/**
 * Like {@link callHub}, for a response that is read as a stream.
 * @throws HubCallError
 */
export async function openHub(path: string, call: HubCall = {}): Promise<Response> {
  const csrfToken = readCsrfToken()
  const replacementsBefore = replacements.get()
  const response = await send(path, call)
  if (hasNoSession(response)) {
    // After a sign-in in another tab the session is valid, and only the token is out of date.
    if (response.status === TOKEN_REJECTED) await renewSession()
    await waitForSignIn(csrfToken)
    if (replacements.get() !== replacementsBefore) return new Promise(() => undefined)
    return openHub(path, call)
  }
  if (response.ok) return response
  const body = await response.json().catch(() => null)
  const error = new HubCallError(response.status, body, retryAfterSeconds(response.headers))
  if (!SECOND_FACTOR_CODES.includes(error.code)) throw error
  await waitForSecondFactor()
  return openHub(path, call)
}

/** The session needs a second factor. */
const SECOND_FACTOR_CODES: readonly string[] = ['second_factor_required', 'second_factor_unused']

async function send(path: string, call: HubCall): Promise<Response> {
  const { method = 'GET', signal, accept } = call
  const body = call.body === undefined ? call.json : JSON.stringify(call.body)
  const headers = pageHeaders(method)
  if (accept !== undefined) headers['Accept'] = accept
  if (isIdle()) headers[UNATTENDED_HEADER] = '1'
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

/** Whether the request had no valid session, or not the CSRF token of the current one. */
function hasNoSession({ status }: Response): boolean {
  return status === 401 || status === TOKEN_REJECTED
}

function messageForStatus(status: number): string {
  return status === 0 ? TEXTS.hubUnreachable : `The hub returned status ${status}. Try again.`
}

/** The message that is shown for an error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The members that errors without a list of members are about. */
const MEMBERS: Partial<Record<string, string>> = {
  code_wrong: 'code',
  invalid_operator: 'email',
  password_wrong: 'password',
  token_name_taken: 'name',
}

/** Why a request was rejected: at the inputs of its form, by their names, and what is about none of them. */
export function formErrors(error: unknown, inputs: object) {
  const { code = '', errors = {} } = error instanceof HubCallError ? error : {}
  const member = MEMBERS[code]
  const all =
    member === undefined ? Object.entries(errors) : [[member, [errorMessage(error)]] as const]
  const own = all.filter(([name]) => Object.hasOwn(inputs, name))
  return {
    atInputs: Object.fromEntries(own.map(([name, issues]) => [name, issues.join(', ')])),
    isElsewhere: own.length === 0 || own.length < all.length,
  }
}
