/** Requests that are sent without a session: signing in, accepting an invitation, and restoring a backup. */

import type { Role, SignInOptions } from '@recordhub/protocol'
import { useEffect, useState } from 'react'
import { SIGN_IN_ERRORS, SINGLE_SIGN_ON_ERRORS, TEXTS } from '../texts.ts'
import { callHub } from './call-hub.ts'
import { pageHeaders } from './csrf-token.ts'
import { getPasskeyAssertion } from './passkeys.ts'
import { retryDelay, shouldRetry } from './retries.ts'
import { retryAfterSeconds } from './retry-after.ts'

export type SignInResult =
  | { outcome: 'signed_in' }
  /** The password was correct, and a second factor is required. */
  | { outcome: 'code_required' }
  /** `startOver`: the sign-in must start again with the password. */
  | { outcome: 'rejected'; reason: string; startOver: boolean }

type ResponseBody = { twoFactorRedirect?: boolean; code?: string; message?: string; url?: string }

export function signIn(values: { email: string; password: string }): Promise<SignInResult> {
  return step('sign-in/email', values)
}

/** Continues a sign-in with a code of an authenticator app, or with a recovery code. */
export function sendCode(code: string, kind: 'app' | 'recovery'): Promise<SignInResult> {
  const text = code.trim()
  return kind === 'app'
    ? step('two-factor/verify-totp', { code: text.replaceAll(' ', '') })
    : step('two-factor/verify-backup-code', { code: text })
}

/** Signs in with a passkey. */
export async function signInWithPasskey(): Promise<SignInResult> {
  try {
    const response = await fetch('/api/auth/passkey/generate-authenticate-options', {
      headers: pageHeaders('GET'),
    })
    if (!response.ok) return rejected(reasonOf(response, await readBody(response)))
    const signed = await getPasskeyAssertion(await response.json())
    return await step('passkey/verify-authentication', { response: signed })
  } catch (error) {
    // Browsers report a cancelled dialog as NotAllowedError.
    const isCancelled = error instanceof DOMException && error.name === 'NotAllowedError'
    return rejected(isCancelled ? 'The passkey sign-in was cancelled.' : TEXTS.hubUnreachable)
  }
}

/** Returns the URL of the provider, which redirects back to `next`. */
export async function startSingleSignOn(
  provider: string,
  next: string,
): Promise<{ url: string } | { reason: string }> {
  try {
    const response = await post('sign-in/social', { provider, callbackURL: next })
    const body = await readBody(response)
    if (response.ok && body.url) return { url: body.url }
    if (response.status === 429 || body.code === ISSUER_WRONG) {
      return { reason: reasonOf(response, body) }
    }
  } catch {
    return { reason: TEXTS.hubUnreachable }
  }
  return {
    reason: 'The single sign-on provider cannot be reached. Try again, or contact an admin.',
  }
}

/** The ways to sign in; null until the hub has responded. */
export function useSignInOptions(): SignInOptions | null {
  return useResponse<SignInOptions>('/api/v1/sign-in-options').data
}

/** The invitation of a link. */
export function useInvitation(token: string) {
  const body = JSON.stringify({ token })
  return useResponse<{ email: string; role: Role }>('/api/v1/invitation', body)
}

/** A response that is read again while the hub is unavailable. The pages without a session have no TanStack Query. */
function useResponse<Body>(path: string, json?: string) {
  const [state, setState] = useState<{ data: Body | null; error: unknown }>(NO_RESPONSE)
  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout>
    async function read(failures: number): Promise<void> {
      try {
        const data = await callHub<Body>(path, json === undefined ? {} : { method: 'POST', json })
        if (isCurrent) setState({ data, error: null })
      } catch (error) {
        if (!isCurrent) return
        setState({ data: null, error })
        if (!shouldRetry(0, error)) return
        timer = setTimeout(() => void read(failures + 1), retryDelay(failures, error))
      }
    }
    void read(0)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [path, json])
  return state
}

const NO_RESPONSE = { data: null, error: null }

const ISSUER_WRONG = 'sign_on_issuer_wrong'

/** The message for an error code in the URL after a failed single sign-on. */
export function singleSignOnError(error: string): string {
  return SINGLE_SIGN_ON_ERRORS[error.toLowerCase()] ?? 'Single sign-on failed. Try again.'
}

/** Error codes after which the sign-in starts again with the password. */
const START_OVER: readonly string[] = [
  'code_used',
  'invalid_two_factor_cookie',
  'too_many_attempts_request_new_code',
]

async function step(path: string, input: object): Promise<SignInResult> {
  try {
    const response = await post(path, input)
    const body = await readBody(response)
    if (!response.ok) {
      const reason = [reasonOf(response, body), ...waitAhead(response)].join(' ')
      return rejected(reason, START_OVER.includes(body.code ?? ''))
    }
    return body.twoFactorRedirect ? { outcome: 'code_required' } : { outcome: 'signed_in' }
  } catch {
    return rejected(TEXTS.hubUnreachable)
  }
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`/api/auth/${path}`, {
    method: 'POST',
    headers: { ...pageHeaders('POST'), 'Content-Type': 'application/json' },
    credentials: 'same-origin',
    body: JSON.stringify(body),
  })
}

async function readBody(response: Response): Promise<ResponseBody> {
  return (await response.json().catch(() => null)) ?? {}
}

function rejected(reason: string, startOver = false): SignInResult {
  return { outcome: 'rejected', reason, startOver }
}

function reasonOf(response: Response, { code = '', message }: ResponseBody): string {
  if (response.status === 429) return `Too many attempts. Wait ${waitOf(response)} and try again.`
  return SIGN_IN_ERRORS[code] ?? message ?? 'The hub sent an unexpected response. Try again.'
}

function waitOf({ headers }: Response): string {
  const seconds = retryAfterSeconds(headers) || 60
  return seconds > 90
    ? `${Math.ceil(seconds / 60)} minutes`
    : `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
}

/** After how many more wrong attempts the operator has to wait, once that is soon. */
function waitAhead(response: Response): string[] {
  const left = Number(response.headers.get('RateLimit-Remaining') ?? Number.NaN)
  if (left === 0) return [`Wait ${waitOf(response)} before the next attempt.`]
  if (left === 1) return ['After one more wrong attempt, you have to wait.']
  return left === 2 ? ['After 2 more wrong attempts, you have to wait.'] : []
}

const PART_BYTES = 4 * 1024 * 1024

/**
 * Uploads a backup to a hub without operators, which then restores it and restarts.
 * @param onProgress receives the uploaded part, from 0 to 1.
 * @throws Error with a message.
 */
export async function uploadBackup(
  file: File,
  { token, passphrase }: { token: string; passphrase: string },
  onProgress: (uploaded: number) => void,
): Promise<void> {
  for (let offset = 0; offset < file.size; offset += PART_BYTES) {
    const response = await fetch('/setup/backup', {
      method: 'POST',
      headers: {
        ...pageHeaders('POST'),
        'Content-Type': 'application/octet-stream',
        'X-Setup-Token': token,
        'X-Upload-Offset': String(offset),
        'X-Upload-Size': String(file.size),
        'X-Backup-Passphrase': encodeURIComponent(passphrase),
      },
      body: file.slice(offset, offset + PART_BYTES),
    })
    onProgress(Math.min(1, (offset + PART_BYTES) / file.size))
    if (response.ok) continue
    const { message = '' } = Object(await response.json().catch(() => null))
    throw new Error(String(message) || `${response.status}`)
  }
}
