/** Password hashes: scrypt, with its parameters in the hash, so that the cost can be raised later. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** The cost of scrypt (RFC 7914): CPU and memory (log2 of N), block size, parallelism. */
export type PasswordCost = { logN: number; r: number; p: number }

/** The cost that OWASP ASVS 5.0 (appendix C) requires: 32 MiB three times, about 0.2 s on a worker thread. */
export const PASSWORD_COST: PasswordCost = { logN: 15, r: 8, p: 3 }
/** The cost of hashes without parameters, as Better Auth writes them. */
const BETTER_AUTH_COST: PasswordCost = { logN: 14, r: 16, p: 1 }
const KEY_BYTES = 64

const derive = promisify<string, string | Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Returns `scrypt$<log2 N>$<r>$<p>$<salt>$<key>`. Equivalent Unicode forms of a password have the same hash. */
export async function hashPassword(
  password: string,
  cost: PasswordCost = PASSWORD_COST,
): Promise<string> {
  const salt = randomBytes(16)
  const key = await deriveKey(password, salt, cost)
  const { logN, r, p } = cost
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Whether a password matches a stored hash. @throws Error for an unknown form of hash. */
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
  if (!text || !hex) throw new Error('The stored password hash has an unknown form')
  return { salt: text, key: Buffer.from(hex, 'hex'), cost: BETTER_AUTH_COST }
}
