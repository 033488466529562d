/** The ways to sign in besides the password: a code, a passkey, another system. */
import { passkey } from '@better-auth/passkey'
import { APIError } from 'better-auth/api'
import { genericOAuth, twoFactor } from 'better-auth/plugins'
import type { Role } from '../../domain/auth/caller.ts'
import { readIssuer } from '../../domain/auth/issuer.ts'
import { PASSKEY, SECOND_FACTOR } from './auth-tables.ts'
import { recoveryCodes } from './recovery-codes.ts'

/** Single sign-on with a provider that speaks OpenID Connect. */
export type OidcSettings = {
  /** What the provider calls itself, or the address of its description. */
  issuer: string
  clientId: string
  clientSecret: string
  /** What the button says. */
  name: string
  /** Of those whom nobody invited. */
  defaultRole: Role
  /** Whose e-mail is of one of these gets in without an invitation. */
  domains: readonly string[]
}

export const OIDC = 'oidc'

/** @param secret seals what it keeps. */
export function secondFactor(secret: string) {
  // The hub counts guesses itself: a lock would shut out the operator along with the guesser.
  return twoFactor({
    issuer: 'Recordhub',
    schema: SECOND_FACTOR,
    accountLockout: { enabled: false },
    backupCodeOptions: recoveryCodes(secret),
  })
}

/**
 * The name that passkeys are bound to, and the address from which they are used where it is known: the
 * browser checks both.
 */
export function passkeySite(publicUrl: string): { id: string; origin: string | null } {
  if (publicUrl === '') return { id: 'localhost', origin: null }
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** A passkey stands for both factors, so whoever holds it must have proved to be its owner. */
export function passkeys(publicUrl: string) {
  const { id, origin } = passkeySite(publicUrl)
  return passkey({
    rpID: id,
    rpName: 'Recordhub',
    origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: ({ verification }) => insist(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) => insist(verification.authenticationInfo.userVerified),
    },
    advanced: { webAuthnChallengeCookie: 'passkey_challenge' },
    schema: PASSKEY,
  })
}

function insist(isVerified: boolean | undefined): void {
  if (isVerified) return
  throw new APIError('UNAUTHORIZED', {
    code: 'USER_NOT_VERIFIED',
    message: 'The device did not check who is using it. Set a PIN, fingerprint or face on it.',
  })
}

export function singleSignOn(oidc: OidcSettings | null) {
  if (!oidc) return genericOAuth({ config: [] })
  const { issuer, clientId, clientSecret, name } = oidc
  return genericOAuth({
    config: [
      {
        providerId: OIDC,
        name,
        clientId,
        clientSecret,
        discoveryUrl: readIssuer(issuer).description,
        requireIdTokenVerification: true,
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
      },
    ],
  })
}
