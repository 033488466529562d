/** The plugins of Better Auth: authenticator apps, passkeys and single sign-on. */

import { randomBytes } from 'node:crypto'
import { passkey } from '@better-auth/passkey'
import { APIError } from 'better-auth/api'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Role } from '../../domain/auth/caller.ts'
import {
  hashRecoveryCode,
  isRecoveryCodeHash,
  passkeySite,
} from '../../domain/auth/second-factor.ts'
import { readIssuer } from '../../domain/auth/single-sign-on.ts'
import { OIDC, PASSKEY, SECOND_FACTOR } from './better-auth-names.ts'

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

/** Crockford's base32: without I, L and O, which look like digits, and without U. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CODE_COUNT = 10
/** Groups of four characters: 140 bits, so that the hash needs neither a salt nor a high cost. */
const GROUPS = 7

/**
 * Recovery codes, stored as hashes. Better Auth creates and checks them; these options make it store hashes, and the
 * sign-in route passes it the hash of the code that an operator enters.
 * @param secret the secret of Better Auth, which also encrypts the list of hashes.
 */
export function recoveryCodes(secret: string) {
  return {
    customBackupCodesGenerate: () => Array.from({ length: CODE_COUNT }, createRecoveryCode),
    storeBackupCodes: {
      encrypt: (codes: string) => symmetricEncrypt({ key: secret, data: hashCodes(codes) }),
      decrypt: async (encrypted: string) =>
        hashCodes(await symmetricDecrypt({ key: secret, data: encrypted })),
    },
  }
}

function createRecoveryCode(): string {
  const groups = Array.from({ length: GROUPS }, () =>
    Array.from(randomBytes(4), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join(''),
  )
  return groups.join('-')
}

/** Replaces the codes in a JSON list by their hashes. After a code is used, Better Auth stores the remaining hashes again. */
function hashCodes(json: string): string {
  const codes: unknown = JSON.parse(json)
  if (!Array.isArray(codes)) throw new Error('The stored recovery codes are not a list.')
  const hashes = codes
    .map(String)
    .map((code) => (isRecoveryCodeHash(code) ? code : hashRecoveryCode(code)))
  return JSON.stringify(hashes)
}
