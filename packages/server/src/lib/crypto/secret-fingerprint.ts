import type { SecretBox } from './secret-box.ts'

/** Identifies a hub secret without revealing it, so that a backup can state which secret it needs: `3f9a-01bc-…`. */
export function secretFingerprint(secrets: Pick<SecretBox, 'deriveKey'>): string {
  const hex = secrets.deriveKey('secret fingerprint').subarray(0, 8).toString('hex')
  return hex.match(/.{4}/g)?.join('-') ?? ''
}
