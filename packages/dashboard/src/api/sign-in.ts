/** Signing in, which is the one thing that is done without a session. */
import type { Role, SignInOptions } from '@recordhub/protocol'
import { queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { signWithPasskey } from './passkeys.ts'
import { refetchWhileUnavailable } from './queries.ts'

export type SignInResult =
  | { outcome: 'signed in' }
  /** The password was right, and a second factor is asked for. */
  | { outcome: 'code wanted' }
  /** `startOver`: the sign-in must begin anew with the password. */
  | { outcome: 'refused'; reason: string; startOver: boolean }

type Answer = { twoFactorRedirect?: boolean; code?: string; message?: string; url?: string }

export function signIn(values: { email: string; password: string }): Promise<SignInResult> {
  return step('sign-in/email', values)
}

/** Goes on with a sign-in by the code of an app, or by a recovery code. */
export function sendCode(code: string, kind: 'app' | 'recovery'): Promise<SignInResult> {
  const text = code.trim()
  return kind === 'app'
    ? step('two-factor/verify-totp', { code: text.replaceAll(' ', '') })
    : step('two-factor/verify-backup-code', { code: text })
}

/** Asks the browser for a passkey. */
export async function signInWithPasskey(): Promise<SignInResult> {
  try {
    const response = await fetch('/api/auth/passkey/generate-authenticate-options')
    if (!response.ok) return refused(reasonOf(response, await readAnswer(response)))
    const signed = await signWithPasskey(await response.json())
    return await step('passkey/verify-authentication', { response: signed })
  } catch (error) {
    // The browser tells a person who cancelled nothing more than that.
    const isCancelled = error instanceof DOMException && error.name === 'NotAllowedError'
    return refused(isCancelled ? 'No passkey was used.' : UNREACHABLE)
  }
}

/** The address of the provider to go to, which sends people back to `next`. */
export async function beginSingleSignOn(
  provider: string,
  next: string,
): Promise<{ url: string } | { reason: string }> {
  try {
    const response = await post('sign-in/social', { provider, callbackURL: next })
    const answer = await readAnswer(response)
    if (response.ok && answer.url) return { url: answer.url }
    if (response.status === 429 || answer.code === ISSUER_WRONG) {
      return { reason: reasonOf(response, answer) }
    }
  } catch {
    return { reason: UNREACHABLE }
  }
  return { reason: 'The provider of single sign-on cannot be reached. Try again, or ask an admin.' }
}

export function signInOptionsQuery() {
  return queryOptions({
    queryKey: ['sign-in options'],
    queryFn: ({ signal }) => callHub<SignInOptions>('/api/v1/sign-in-options', { signal }),
    refetchInterval: refetchWhileUnavailable,
  })
}

/** What the link of an invitation invites to; a link that is not valid is not tried again. */
export function invitationQuery(token: string) {
  return queryOptions({
    queryKey: ['invitation', token],
    queryFn: () =>
      callHub<{ email: string; role: Role }>('/api/v1/invitation', {
        method: 'POST',
        body: { token },
      }),
    retry: false,
    refetchInterval: refetchWhileUnavailable,
  })
}

const ISSUER_WRONG = 'sign_on_issuer_wrong'
const UNREACHABLE = 'The hub cannot be reached. Check the connection and try again.'

/** What went wrong at a provider, by the word that the hub puts into the address. */
export function wordsOfSingleSignOn(error: string): string {
  return SINGLE_SIGN_ON[error.toLowerCase()] ?? 'The single sign-on did not work. Try again.'
}

const SINGLE_SIGN_ON: Readonly<Record<string, string>> = {
  not_invited: 'Your e-mail was not invited to this hub. Ask an admin for an invitation.',
  email_not_verified: 'The provider has not verified your e-mail. Have it verified there first.',
  account_not_linked: 'The provider has not verified your e-mail. Have it verified there first.',
  operator_disabled: 'Your account is disabled. Ask an admin of this hub.',
  access_denied: 'The provider did not let you in.',
  sign_on_unavailable: 'The provider of single sign-on does not answer. Try again in a moment.',
  [ISSUER_WRONG]:
    'The provider of single sign-on is not the one that this hub expects. Ask an admin: the log says more.',
}

/** Refusals after which the password is asked for again. */
const START_OVER: readonly string[] = [
  'code_used',
  'invalid_two_factor_cookie',
  'too_many_attempts_request_new_code',
]

const WORDS: Readonly<Record<string, string>> = {
  invalid_email_or_password: 'The e-mail or the password is wrong.',
  operator_disabled: 'Your account is disabled. Ask an admin of this hub.',
  invalid_code: 'The code is wrong. Wait for the next one and try again.',
  invalid_backup_code: 'The recovery code is wrong, or was used already.',
  code_used: 'This code was used already. Sign in again with the next one.',
  invalid_two_factor_cookie: 'That took too long. Sign in again.',
  too_many_attempts_request_new_code: 'Too many wrong codes. Sign in again.',
  passkey_not_found: 'This hub does not know that passkey. It may have been removed.',
  authentication_failed: 'The passkey was not accepted. Try again.',
}

async function step(path: string, body: object): Promise<SignInResult> {
  try {
    const response = await post(path, body)
    const answer = await readAnswer(response)
    if (!response.ok) {
      return refused(reasonOf(response, answer), START_OVER.includes(answer.code ?? ''))
    }
    return answer.twoFactorRedirect ? { outcome: 'code wanted' } : { outcome: 'signed in' }
  } catch {
    return refused(UNREACHABLE)
  }
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`/api/auth/${path}`, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    credentials: 'same-origin',
    body: JSON.stringify(body),
  })
}

async function readAnswer(response: Response): Promise<Answer> {
  return (await response.json().catch(() => null)) ?? {}
}

function refused(reason: string, startOver = false): SignInResult {
  return { outcome: 'refused', reason, startOver }
}

function reasonOf(response: Response, { code = '', message }: Answer): string {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('Retry-After') ?? 60)
    const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
    return `Too many attempts. Wait ${wait} and try again.`
  }
  return WORDS[code] ?? message ?? 'The hub did not answer as it should. Try again.'
}
