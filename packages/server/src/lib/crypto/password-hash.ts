/** Passwords as they are stored: scrypt, with its parameters in the text, so that they can be raised. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** The cost of scrypt (RFC 7914): CPU and memory (log2 of N), block size, parallelism. */
export type PasswordCost = { logN: number; r: number; p: number }

/** The cost that OWASP ASVS 5.0 (appendix C) requires: 32 MiB three times, about 0.2 s on a thread of its own. */
export const PASSWORD_COST: PasswordCost = { logN: 15, r: 8, p: 3 }
/** The cost of hashes without parameters, as Better Auth writes them. */
const BETTER_AUTH_COST: PasswordCost = { logN: 14, r: 16, p: 1 }
const KEY_BYTES = 64

const derive = promisify<string, string | Buffer, number, ScryptOptions, Buffer>(scrypt)

/** `scrypt$<log2 N>$<r>$<p>$<salt>$<key>`. The password counts as it is, whatever form of Unicode it came in. */
export async function hashPassword(
  password: string,
  cost: PasswordCost = PASSWORD_COST,
): Promise<string> {
  const salt = randomBytes(16)
  const key = await deriveKey(password, salt, cost)
  const { logN, r, p } = cost
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Whether it is the password of this text. @throws Error for a text of another form. */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
  const { salt, key, cost } = read(stored)
  const other = await deriveKey(password, salt, cost)
  return key.length === other.length && timingSafeEqual(key, other)
}

function deriveKey(password: string, salt: string | Buffer, { logN, r, p }: PasswordCost) {
  const N = 2 ** logN
  return derive(password.normalize('NFKC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r })
}

function read(stored: string): { salt: string | Buffer; key: Buffer; cost: PasswordCost } {
  const [, logN, r, p, salt, key] =
    /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? []
  if (salt && key) {
    const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
    return { salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url'), cost }
  }
  const [, text, hex] = /^([0-9a-f]+):([0-9a-f]+)$/.exec(stored) ?? []
  if (!text || !hex) throw new Error('A password is stored in a form that is unknown here')
  return { salt: text, key: Buffer.from(hex, 'hex'), cost: BETTER_AUTH_COST }
}
