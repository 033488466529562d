/** Forwards requests of the hub's routes to Better Auth, and maps its errors. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorBody, type ErrorCode, HubError, tooManyRequests } from '../../errors.ts'
import type { BetterAuth } from './better-auth.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER, SESSION_COOKIE } from './better-auth-names.ts'

type ForwardedRequest = {
  /** A path of Better Auth below {@link AUTH_PATH}, with its query if any. */
  path: string
  body?: object
  method?: 'GET' | 'POST'
  /** Whether Better Auth receives the session cookie. A step of a sign-in must not carry the session of another operator. */
  withSession: boolean
}

/** Forwards a request to Better Auth. @throws HubError `too_many_requests` if its rate limit is exceeded. */
export async function forwardToBetterAuth(
  betterAuth: BetterAuth,
  request: FastifyRequest,
  { path, body, method = 'POST', withSession }: ForwardedRequest,
): Promise<Response> {
  const url = new URL(`${AUTH_PATH}/${path}`, `${request.protocol}://${request.host}`)
  const headers = toWebHeaders(request)
  headers.set(CLIENT_ADDRESS_HEADER, request.ip || '')
  // Better Auth requires an origin. A client without one is not a browser, and the hub has already checked the origin.
  if (!headers.has('origin')) headers.set('origin', url.origin)
  if (!withSession) removeSession(headers)
  if (method === 'POST') headers.set('content-type', 'application/json')
  const sent = method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}
  const response = await betterAuth.handler(new Request(url, { method, headers, ...sent }))
  if (response.status === 429) {
    throw tooManyRequests(Number(response.headers.get('x-retry-after') ?? 60))
  }
  return response
}

/** Forwards a request in the session of its operator, sets the cookies of the response and returns its body. @throws HubError */
export async function forwardToBetterAuthAs(
  betterAuth: BetterAuth,
  request: FastifyRequest,
  reply: FastifyReply | null,
  call: Omit<ForwardedRequest, 'withSession'>,
): Promise<Record<string, unknown>> {
  const response = await forwardToBetterAuth(betterAuth, request, { ...call, withSession: true })
  const body: Record<string, unknown> = Object(await response.json().catch(() => ({})))
  if (!response.ok) throw toHubError(body)
  for (const cookie of response.headers.getSetCookie()) reply?.header('set-cookie', cookie)
  return body
}

/**
 * The operator whose sign-in waits for a code after the right password; null if there is none, or if the cookie does
 * not have the form in which Better Auth writes it.
 */
export async function findPendingSignIn(
  betterAuth: BetterAuth,
  request: FastifyRequest,
): Promise<string | null> {
  const { createAuthCookie, internalAdapter } = await betterAuth.context()
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
  return HubError.withMessage(
    'sign_in_setting_rejected',
    String(message ?? 'The change was rejected.'),
  )
}

/** The codes of Better Auth and of the hub's hooks that clients receive, in lower case. */
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
 * The error of a failed step of a sign-in. Codes that are not in {@link SIGN_IN_CODES} become `sign_in_failed`.
 * @param origin the `Origin` header of the request; empty if there is none.
 */
export function toSignInError(text: string, origin: string): HubError {
  const { code, message } = Object(text.startsWith('{') ? JSON.parse(text) : {})
  const known = SIGN_IN_CODES.find((one) => one === String(code).toLowerCase())
  if (known) {
    return new HubError(known, { origin: URL.parse(origin)?.origin ?? 'an unknown address' })
  }
  return new HubError('sign_in_failed', { reason: String(message ?? 'Better Auth gave no reason') })
}

/** The value of the first cookie with this name, as it was sent; '' if there is none. Better Auth reads the first, too. */
export function readCookie(request: FastifyRequest, name: string): string {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return ''
}

/** The headers of a request as a `Headers` object. */
export function toWebHeaders(request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === 'content-length' || name === CLIENT_ADDRESS_HEADER) continue
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}

function removeSession(headers: Headers): void {
  const cookies = (headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim())
  const others = cookies.filter((cookie) => !cookie.includes(SESSION_COOKIE))
  headers.set('cookie', others.join('; '))
}

/** Sends a response of Better Auth to the client. The token of the session stays in its cookie, out of reach of scripts. */
export async function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  response: Response,
): Promise<FastifyReply> {
  reply.code(response.status).header('Cache-Control', 'no-store')
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
  for (const name of ['RateLimit-Remaining', 'Retry-After']) {
    const value = response.headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  const location = response.headers.get('location')
  if (location !== null) return reply.redirect(location, 302)
  const text = await response.text()
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
  if (!response.ok) {
    const { code, message } = toSignInError(text, request.headers.origin ?? '')
    const body: ErrorBody = { success: false, code, message, request_id: request.id }
    return reply.send(body)
  }
  const { token: _, session: __, ...body } = Object(text === '' ? {} : JSON.parse(text))
  return reply.send(body)
}
