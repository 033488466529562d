import type { SecretBox } from '../lib/crypto/secret-box.ts'

/** What Better Auth signs cookies with, and seals second factors under. */
export function authSecretOf(secrets: SecretBox): string {
  return secrets.deriveKey('sessions').toString('base64url')
}
