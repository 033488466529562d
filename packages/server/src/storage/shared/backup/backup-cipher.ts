/**
 * Encrypts the chunks of a backup with AES-256-GCM. The key is derived from a passphrase by scrypt with a salt of its
 * own, so the number of a chunk can be its nonce. The nonce also says whether the chunk is the last one: a file that
 * was cut off, reordered or combined from two others does not decrypt.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  type ScryptOptions,
  scrypt,
} from 'node:crypto'
import { promisify } from 'node:util'
import { HubError } from '../../../errors.ts'
import { sameSecret } from '../../../lib/crypto/hash.ts'
import { PASSWORD_COST } from '../../../lib/crypto/password-hash.ts'
import type { Encryption } from './backup-header.ts'

const ALGORITHM = 'aes-256-gcm'
const TAG_BYTES = 16

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** @throws HubError `backup_damaged` if a chunk was modified. */
export type ChunkCipher = (chunk: Buffer, isLast: boolean) => Buffer

type BackupKey = { encryption: Encryption; key: Buffer }

/** Derives a new key from a passphrase. */
export async function createKey(passphrase: string): Promise<BackupKey> {
  const { logN: log_n, r, p } = PASSWORD_COST
  const salt = randomBytes(16).toString('base64url')
  const { key, key_check } = await deriveKey(passphrase, { log_n, r, p, salt })
  return { encryption: { log_n, r, p, salt, key_check }, key }
}

/** @throws HubError `backup_passphrase_wrong`. */
export async function findKey(passphrase: string, encryption: Encryption): Promise<BackupKey> {
  const { key, key_check } = await deriveKey(passphrase, encryption)
  if (sameSecret(key_check, encryption.key_check)) return { encryption, key }
  throw new HubError('backup_passphrase_wrong')
}

async function deriveKey(
  passphrase: string,
  { log_n, r, p, salt }: Omit<Encryption, 'key_check'>,
): Promise<{ key: Buffer; key_check: string }> {
  const N = 2 ** log_n
  const options = { N, r, p, maxmem: 256 * N * r }
  const bytes = await derive(
    passphrase.normalize('NFKC'),
    Buffer.from(salt, 'base64url'),
    64,
    options,
  )
  return { key: bytes.subarray(0, 32), key_check: bytes.subarray(32).toString('base64url') }
}

/** @param header the bytes of the header, to which the chunks are bound. */
export function createEncrypter({ key }: BackupKey, header: Buffer): ChunkCipher {
  const nextNonce = createNonces()
  const aad = createHash('sha256').update(header).digest()
  return (chunk, isLast) => {
    const cipher = createCipheriv(ALGORITHM, key, nextNonce(isLast)).setAAD(aad)
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }
}

export function createDecrypter({ key }: BackupKey, header: Buffer): ChunkCipher {
  const nextNonce = createNonces()
  const aad = createHash('sha256').update(header).digest()
  return (chunk, isLast) => {
    if (chunk.length < TAG_BYTES) throw modified()
    const end = chunk.length - TAG_BYTES
    const nonce = nextNonce(isLast)
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(aad).setAuthTag(chunk.subarray(end))
    try {
      return Buffer.concat([decipher.update(chunk.subarray(0, end)), decipher.final()])
    } catch {
      throw modified()
    }
  }
}

function modified(): HubError {
  return new HubError('backup_damaged', { reason: 'its encrypted content was modified' })
}

/** Returns the number of each chunk, and 1 in the last byte for the last chunk. */
function createNonces(): (isLast: boolean) => Buffer {
  let count = 0
  return (isLast) => {
    const nonce = Buffer.alloc(12)
    nonce.writeUIntBE(count, 5, 6)
    nonce.writeUInt8(isLast ? 1 : 0, 11)
    count += 1
    return nonce
  }
}
