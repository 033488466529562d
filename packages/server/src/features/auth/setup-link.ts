import { hmacSha256, sameSecret } from '../../lib/crypto/hash.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'

/**
 * The link that creates the first operator, with its token behind the #, as in that of an invitation.
 * @param site where operators reach the hub, such as https://hub.example.org
 */
export function setupLink(secrets: SecretBox, site: string): string {
  return `${site}/setup#token=${setupToken(secrets)}`
}

/**
 * Derived from the hub's secret, so every node knows it and none stores it; it is of no use once there is
 * an operator.
 */
function setupToken(secrets: SecretBox): string {
  return hmacSha256(secrets.deriveKey('set-up link'), 'first operator')
}

export function isSetupToken(secrets: SecretBox, token: string): boolean {
  return sameSecret(setupToken(secrets), token)
}
