import { randomBytes } from 'node:crypto'
import { sha256 } from './hash.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 43
const CHECK_LENGTH = 6

/**
 * Creates a random key: the prefix, 32 random bytes in base62, and a checksum, so that a mistyped or invented key is
 * rejected without a look-up.
 */
export function createRandomKey(prefix: string): string {
  const body = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_LENGTH)
  return `${prefix}${body}${checksum(prefix + body)}`
}

/** Whether a text has the form of {@link createRandomKey} with this prefix. */
export function isRandomKey(text: string, prefix: string): boolean {
  if (text.length !== prefix.length + BODY_LENGTH + CHECK_LENGTH) return false
  return (
    text.startsWith(prefix) && checksum(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)
  )
}

/** The start and the end of a key, which are safe to show. */
export function maskKey(key: string): string {
  return `${key.slice(0, 8)}…${key.slice(-4)}`
}

function checksum(text: string): string {
  const bytes = Buffer.from(sha256(text), 'base64url').subarray(0, 8)
  return base62(bytes.readBigUInt64BE(), CHECK_LENGTH)
}

/** The last `length` digits of a number in base 62. */
function base62(value: bigint, length: number): string {
  let rest = value
  let text = ''
  while (text.length < length) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}
