/** Sets up authenticator apps and passkeys for operators, and signs in with them. */
import { cookieOf, type Session } from '../operator.ts'
import { PASSWORD, type TestHub } from './hub.ts'
import { expectObject, type TestResponse } from './response.ts'
import { SAME_ORIGIN_HEADERS } from './single-sign-on.ts'
import { createSoftwarePasskey } from './software-passkey.ts'
import { totpCode } from './totp.ts'

export const ACCOUNT = '/api/v1/account'
export const ORIGIN = 'http://localhost'

/** Sets up an authenticator app, which uses up the code of the current time step. */
export async function enableSecondFactor(hub: TestHub, session: Session) {
  const request = { as: session, body: { password: PASSWORD } }
  const begun = await hub.call('POST /api/v1/account/second-factor', request)
  const { totp_uri: uri, recovery_codes: codes } = begun
  const confirmed = await hub.callAs(session, 'POST', `${ACCOUNT}/second-factor/confirm`, {
    code: totpCode(uri),
  })
  expectObject(confirmed, 200)
  const renewed = { ...session, ...(await hub.sessionOf(confirmed)) }
  return { uri, codes, session: renewed }
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
  const sameOrigin = { headers: { ...session.headers, ...SAME_ORIGIN_HEADERS } }
  const begun = await hub.callAs(sameOrigin, 'POST', `${ACCOUNT}/passkeys/options`, {
    password: PASSWORD,
  })
  const { options } = expectObject(begun, 200)
  const cookie = `${session.cookie}; ${cookieOf(begun)}`
  const response = passkey.register(Object(options), ORIGIN, flags)
  const headers = { ...sameOrigin.headers, cookie }
  const body = { name: 'My laptop', response }
  const added = await hub.callAs({ headers }, 'POST', `${ACCOUNT}/passkeys`, body)
  return { passkey, added, home: sameOrigin }
}

export async function beginPasskeySignIn(hub: TestHub) {
  const url = '/api/auth/passkey/generate-authenticate-options'
  const begun = await hub.send({ url, headers: SAME_ORIGIN_HEADERS })
  return { options: Object(expectObject(begun, 200)), cookie: cookieOf(begun) }
}

export function finishPasskeySignIn(
  hub: TestHub,
  cookie: string,
  response: object,
  headers = SAME_ORIGIN_HEADERS,
) {
  const url = '/api/auth/passkey/verify-authentication'
  const sent = { ...headers, cookie }
  return hub.send({ method: 'POST', url, headers: sent, body: { response } })
}
