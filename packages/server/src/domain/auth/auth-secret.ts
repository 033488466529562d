import type { SecretBox } from '../../lib/crypto/secret-box.ts'

/** The secret with which Better Auth signs cookies and encrypts second factors. */
export function deriveAuthSecret(secrets: SecretBox): string {
  return secrets.deriveKey('sessions').toString('base64url')
}
