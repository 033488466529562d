/**
 * Recovery codes, stored as hashes. Better Auth creates and checks them; these options make it store hashes, and the
 * sign-in route passes it the hash of the code that an operator enters.
 */
import { randomBytes } from 'node:crypto'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { hashRecoveryCode, isRecoveryCodeHash } from '../../domain/auth/recovery-code.ts'

/** Crockford's base32: without I, L and O, which look like digits, and without U. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CODE_COUNT = 10
/** Groups of four characters: 140 bits, so that the hash needs neither a salt nor a high cost. */
const GROUPS = 7

/** @param secret the secret of Better Auth, which also encrypts the list of hashes. */
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
