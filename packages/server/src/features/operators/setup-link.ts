import { hmacSha256, sameSecret } from '../../lib/hash.ts'
import type { SecretBox } from '../../lib/secret-box.ts'

/**
 * The token of the link that creates the first operator. It is derived from the hub's secret, so every
 * node knows it and none stores it; it is of no use once there is an operator.
 */
export function setupToken(secrets: SecretBox): string {
  return hmacSha256(secrets.deriveKey('set-up link'), 'first operator')
}

export function isSetupToken(secrets: SecretBox, token: string): boolean {
  return sameSecret(setupToken(secrets), token)
}
