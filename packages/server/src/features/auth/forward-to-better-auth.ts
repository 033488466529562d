/** The way from the hub's routes to Better Auth, and back. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, HubError, tooManyRequests } from '../../errors.ts'
import type { Auth } from './auth.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER, SESSION_COOKIE } from './auth-names.ts'
import { readCookie } from './read-cookie.ts'

export type AuthCall = {
  /** Of Better Auth's, below {@link AUTH_PATH}; with a query where it takes one. */
  path: string
  body?: object
  method?: 'GET' | 'POST'
  /** Whether it is done in the name of who is signed in; a sign-in must not be. */
  withSession: boolean
}

/** Calls Better Auth for a request. Its own limits hold for what is no guess. */
export async function forwardToBetterAuth(
  auth: Auth,
  request: FastifyRequest,
  { path, body, method = 'POST', withSession }: AuthCall,
): Promise<Response> {
  const url = new URL(`${AUTH_PATH}/${path}`, `${request.protocol}://${request.host}`)
  const headers = toWebHeaders(request)
  headers.set(CLIENT_ADDRESS_HEADER, request.ip)
  // Who sends none is no browser, and our own guard has judged it; Better Auth insists on one.
  if (!headers.has('origin')) headers.set('origin', url.origin)
  if (!withSession) dropSession(headers)
  if (method === 'POST') headers.set('content-type', 'application/json')
  const sent = method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}
  const answer = await auth.handler(new Request(url, { method, headers, ...sent }))
  if (answer.status === 429) throw tooManyGuesses(answer)
  return answer
}

/** Calls it for who is signed in, hands its cookies on, and gives what it says. @throws HubError */
export async function forwardToBetterAuthAs(
  auth: Auth,
  request: FastifyRequest,
  reply: FastifyReply | null,
  call: Omit<AuthCall, 'withSession'>,
): Promise<Record<string, unknown>> {
  const answer = await forwardToBetterAuth(auth, request, { ...call, withSession: true })
  const said: Record<string, unknown> = Object(await answer.json().catch(() => ({})))
  if (!answer.ok) throw toHubError(said)
  for (const cookie of answer.headers.getSetCookie()) reply?.header('set-cookie', cookie)
  return said
}

/**
 * Whose password was right in a sign-in that waits for a code; null for nobody's, and where the cookie is
 * written otherwise than Better Auth writes it: what it would read out of that is not known here.
 */
export async function findHalfSignedIn(
  auth: Auth,
  request: FastifyRequest,
): Promise<string | null> {
  const { createAuthCookie, internalAdapter } = await auth.$context
  const cookie = readCookie(request, createAuthCookie('two_factor').name)
  const [identifier = ''] = cookie.split('.')
  if (identifier === '') return null
  return (await internalAdapter.findVerificationValue(identifier))?.value ?? null
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  UNAUTHORIZED: 'not_signed_in',
  INVALID_PASSWORD: 'password_wrong',
  INVALID_CODE: 'code_wrong',
  INVALID_BACKUP_CODE: 'code_wrong',
}

function toHubError({ code, message }: Record<string, unknown>): HubError {
  const known = CODES[String(code)]
  if (known) return new HubError(known)
  return HubError.withMessage('sign_in_setting_refused', String(message ?? 'It was refused.'))
}

/** The codes of Better Auth, and of the hub's hooks in it, that clients receive in small letters. */
const SIGN_IN_CODES = [
  'invalid_email_or_password',
  'operator_disabled',
  'invalid_code',
  'invalid_backup_code',
  'code_used',
  'invalid_two_factor_cookie',
  'too_many_attempts_request_new_code',
  'passkey_not_found',
  'challenge_not_found',
  'authentication_failed',
  'user_not_verified',
  'invalid_origin',
  'missing_or_null_origin',
] as const satisfies readonly ErrorCode[]

/**
 * The error of a failed step of signing in. Codes outside of {@link SIGN_IN_CODES} become `sign_in_failed`.
 * @param origin the address of the page that the step came from; empty where the client did not say.
 */
export function toSignInError(text: string, origin: string): HubError {
  const { code, message } = Object(text.startsWith('{') ? JSON.parse(text) : {})
  const known = SIGN_IN_CODES.find((one) => one === String(code).toLowerCase())
  if (known) {
    return new HubError(known, { origin: URL.parse(origin)?.origin ?? 'an unknown address' })
  }
  return new HubError('sign_in_failed', { reason: String(message ?? 'no reason was given') })
}

/** The headers of a request in the form of the Web standard. */
export function toWebHeaders(request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === 'content-length' || name === CLIENT_ADDRESS_HEADER) continue
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}

function dropSession(headers: Headers): void {
  const cookies = (headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim())
  const others = cookies.filter((cookie) => !cookie.includes(SESSION_COOKIE))
  headers.set('cookie', others.join('; '))
}

function tooManyGuesses({ headers }: Response): HubError {
  return tooManyRequests(Number(headers.get('x-retry-after') ?? 60))
}
