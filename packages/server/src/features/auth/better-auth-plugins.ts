/** The plugins of Better Auth: authenticator apps, passkeys and single sign-on. */
import { passkey } from '@better-auth/passkey'
import { APIError } from 'better-auth/api'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Role } from '../../domain/auth/caller.ts'
import { passkeySite } from '../../domain/auth/second-factor.ts'
import { readIssuer } from '../../domain/auth/single-sign-on.ts'
import { OIDC, PASSKEY, SECOND_FACTOR } from './better-auth-names.ts'
import { recoveryCodes } from './recovery-codes.ts'

/** Single sign-on with an OpenID Connect provider. */
export type OidcSettings = {
  /** The issuer of the provider, or the URL of its discovery document. */
  issuer: string
  clientId: string
  clientSecret: string
  /** The name of the provider on the sign-in button. */
  name: string
  /** The role of new operators without an invitation. */
  defaultRole: Role
  /** E-mail domains that are admitted without an invitation. */
  domains: readonly string[]
}

/** @param secret encrypts the secrets of authenticator apps and the recovery codes. */
export function secondFactor(secret: string) {
  return twoFactor({
    issuer: 'Recordhub',
    schema: SECOND_FACTOR,
    // The login throttle counts the attempts: Better Auth's lockout would lock the operator out with the attacker.
    accountLockout: { enabled: false },
    backupCodeOptions: recoveryCodes(secret),
  })
}

/** A passkey replaces both factors, so the device must verify its user. */
export function passkeys(publicUrl: string) {
  const { id, origin } = passkeySite(publicUrl)
  return passkey({
    rpID: id,
    rpName: 'Recordhub',
    origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: ({ verification }) =>
        assertUserVerified(verification.registrationInfo?.userVerified),
    },
    authentication: {
      afterVerification: ({ verification }) =>
        assertUserVerified(verification.authenticationInfo.userVerified),
    },
    advanced: { webAuthnChallengeCookie: 'passkey_challenge' },
    schema: PASSKEY,
  })
}

function assertUserVerified(isVerified: boolean | undefined): void {
  if (isVerified) return
  throw new APIError('UNAUTHORIZED', {
    code: 'USER_NOT_VERIFIED',
    message: 'The device did not verify its user. Set up a PIN, fingerprint or face on it.',
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
        discoveryUrl: readIssuer(issuer).discoveryUrl,
        requireIdTokenVerification: true,
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
      },
    ],
  })
}
