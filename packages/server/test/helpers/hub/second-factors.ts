/** Sets up authenticator apps and passkeys for operators of tests, and signs in with them. */
import assert from 'node:assert/strict'
import { cookieOf, type Session } from './actions.ts'
import { PASSWORD, type TestHub } from './hub.ts'
import { callAs, sessionOf } from './operators.ts'
import { expectObject, type TestResponse } from './response.ts'
import { createSoftwarePasskey } from './software-passkey.ts'
import { totpCode } from './totp.ts'

export const ACCOUNT = '/api/v1/account'
export const ORIGIN = 'http://localhost'
const AT_HOME = { host: 'localhost', origin: ORIGIN }

/** Sets up a second factor. The code of the current step is used. */
export async function enableSecondFactor(hub: TestHub, session: Session) {
  const begun = await callAs(hub, session, 'POST', `${ACCOUNT}/second-factor`, {
    password: PASSWORD,
  })
  const { totp_uri, recovery_codes } = expectObject(begun, 200)
  assert.ok(Array.isArray(recovery_codes))
  const uri = String(totp_uri)
  const confirmed = await callAs(hub, session, 'POST', `${ACCOUNT}/second-factor/confirm`, {
    code: totpCode(uri),
  })
  expectObject(confirmed, 200)
  const renewed = { ...session, ...(await sessionOf(hub, confirmed)) }
  return { uri, codes: recovery_codes.map(String), session: renewed }
}

export function sendCode(
  hub: TestHub,
  signedIn: TestResponse,
  path: string,
  code: string,
): Promise<TestResponse> {
  const headers = { cookie: cookieOf(signedIn) }
  return hub.send({ method: 'POST', url: `/api/auth/two-factor/${path}`, headers, body: { code } })
}

/** Creates a passkey with a software authenticator for the signed-in operator. */
export async function addPasskey(hub: TestHub, session: Session, flags = { userVerified: true }) {
  const passkey = createSoftwarePasskey()
  const home = { headers: { ...session.headers, ...AT_HOME } }
  const asked = await callAs(hub, home, 'POST', `${ACCOUNT}/passkeys/options`, {
    password: PASSWORD,
  })
  const { options } = expectObject(asked, 200)
  const cookie = `${session.cookie}; ${cookieOf(asked)}`
  const response = passkey.register(Object(options), ORIGIN, flags)
  const headers = { ...home.headers, cookie }
  const body = { name: 'My laptop', response }
  const added = await callAs(hub, { headers }, 'POST', `${ACCOUNT}/passkeys`, body)
  return { passkey, added, home }
}

export async function beginPasskey(hub: TestHub) {
  const url = '/api/auth/passkey/generate-authenticate-options'
  const answer = await hub.send({ url, headers: AT_HOME })
  return { options: Object(expectObject(answer, 200)), cookie: cookieOf(answer) }
}

export function finishPasskey(hub: TestHub, cookie: string, response: object, headers = AT_HOME) {
  const url = '/api/auth/passkey/verify-authentication'
  const sent = { ...headers, cookie }
  return hub.send({ method: 'POST', url, headers: sent, body: { response } })
}
