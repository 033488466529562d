/** Recovery codes are stored as hashes. */
import { sha256 } from '../../lib/crypto/hash.ts'

/** Marks a hash. No code contains a colon. */
const HASH_PREFIX = 'sha256:'

export function isRecoveryCodeHash(text: string): boolean {
  return text.startsWith(HASH_PREFIX)
}

/** The hash of a code, whatever case, spaces, dashes and look-alike letters it was entered with. */
export function hashRecoveryCode(entered: string): string {
  const code = entered
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
  return `${HASH_PREFIX}${sha256(code)}`
}
