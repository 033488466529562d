/** A hub with single sign-on, and sign-ins that follow the redirects as a browser does. */
import assert from 'node:assert/strict'
import { type Clock, systemClock } from '../../../src/lib/time/clock.ts'
import { cookieOf } from '../operator.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { startTestHub, type TestHub, type TestHubOptions } from './hub.ts'
import type { OidcProvider } from './oidc-provider.ts'
import { expectObject, type TestResponse } from './response.ts'

export const PUBLIC_URL = 'http://localhost'
export const SAME_ORIGIN_HEADERS = { host: 'localhost', origin: PUBLIC_URL }

/** Starts a hub with single sign-on. */
export async function startHubWithSingleSignOn(
  engine: StorageEngine,
  provider: OidcProvider,
  env: Record<string, string> = {},
  clock: Clock = systemClock,
): Promise<TestHub> {
  return startTestHub(engine, { ...singleSignOnOptions(provider, env), clock })
}

export function singleSignOnOptions(
  provider: Pick<OidcProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  env: Record<string, string> = {},
): TestHubOptions {
  return {
    withOperator: true,
    env: {
      HUB_PUBLIC_URL: PUBLIC_URL,
      HUB_OIDC_ISSUER: provider.issuer,
      HUB_OIDC_CLIENT_ID: provider.clientId,
      HUB_OIDC_CLIENT_SECRET: provider.clientSecret,
      HUB_OIDC_NAME: 'Example',
      ...env,
    },
  }
}

/** A clock that stands still, and can be advanced beyond the time for which a failure of the provider is cached. */
export function createAdjustableClock() {
  let time = Date.now()
  return {
    clock: { now: () => new Date(time) },
    advance: () => {
      time += 6000
    },
  }
}

export function beginSignOn(hub: TestHub, callbackURL = '/dashboard'): Promise<TestResponse> {
  return hub.send({
    method: 'POST',
    url: '/api/auth/sign-in/social',
    headers: SAME_ORIGIN_HEADERS,
    body: { provider: 'oidc', callbackURL },
  })
}

/** Runs a complete single sign-on. */
export async function signOn(hub: TestHub): Promise<TestResponse> {
  return followRedirects(hub, await beginSignOn(hub))
}

/** Follows the redirects to the provider and back to the hub. */
export async function followRedirects(hub: TestHub, begun: TestResponse): Promise<TestResponse> {
  const { url } = expectObject(begun, 200)
  const redirect = await fetch(String(url), { redirect: 'manual' })
  const callback = new URL(redirect.headers.get('location') ?? '')
  assert.equal(callback.origin + callback.pathname, `${PUBLIC_URL}/api/auth/callback/oidc`)
  const headers = { host: 'localhost', cookie: cookieOf(begun) }
  return hub.send({ url: callback.pathname + callback.search, headers })
}
