/**
 * Recovery codes, of which only hashes are kept. Better Auth makes and takes them: it is handed this
 * storing, and compares what `hashRecoveryCode` makes of a code that somebody types.
 */
import { randomBytes } from 'node:crypto'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { sha256 } from '../../lib/crypto/hash.ts'

/** Crockford's: no I, L and O, which are read as digits, and no U. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const AMOUNT = 10
/** Of four letters and digits: 140 bits, which need no salt and no slow hash. */
const GROUPS = 7
/** No code that was ever made has a colon. */
const HASHED = 'sha256:'

/** @param secret of Better Auth: the hashes are sealed as the secrets of apps are. */
export function recoveryCodes(secret: string) {
  return {
    customBackupCodesGenerate: () => Array.from({ length: AMOUNT }, createRecoveryCode),
    storeBackupCodes: {
      encrypt: (codes: string) => symmetricEncrypt({ key: secret, data: hashCodes(codes) }),
      decrypt: async (sealed: string) =>
        hashCodes(await symmetricDecrypt({ key: secret, data: sealed })),
    },
  }
}

/** As it is stored and compared; of case, spaces, dashes and look-alikes nothing is left. */
export function hashRecoveryCode(typed: string): string {
  const code = typed
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
  return `${HASHED}${sha256(code)}`
}

function createRecoveryCode(): string {
  const groups = Array.from({ length: GROUPS }, () =>
    Array.from(randomBytes(4), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join(''),
  )
  return groups.join('-')
}

/**
 * A list as JSON, with nothing but hashes. What is left of it comes back to be stored once a code was used,
 * and lists of older versions hold the codes themselves.
 */
function hashCodes(json: string): string {
  const codes: unknown = JSON.parse(json)
  if (!Array.isArray(codes)) throw new Error('The recovery codes that are stored are no list.')
  const hashes = codes
    .map(String)
    .map((code) => (code.startsWith(HASHED) ? code : hashRecoveryCode(code)))
  return JSON.stringify(hashes)
}
