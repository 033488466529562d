import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

const VERSION = 'v1'

/** Encrypts short secrets, so that the database alone does not reveal them. */
export type SecretBox = {
  /** Encrypts with AES-256-GCM and a new nonce. The result can be decrypted only for the same purpose. */
  encrypt(text: string, purpose: string): string
  /** Decrypts. @throws Error if the text was encrypted with another secret or for another purpose, or was modified. */
  decrypt(ciphertext: string, purpose: string): string
  /** Derives a key for another use from the same secret. */
  deriveKey(use: string): Buffer
}

/** @param secret the keys are derived from it by HKDF-SHA256 (RFC 5869). */
export function createSecretBox(secret: string): SecretBox {
  const deriveKey = (use: string) => Buffer.from(hkdfSync('sha256', secret, 'recordhub', use, 32))
  // Every stored text depends on this label.
  const key = createSecretKey(deriveKey('encrypted secrets'))
  return {
    deriveKey,
    encrypt(text, purpose) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [nonce, cipher.getAuthTag(), encrypted].map((part) =>
        part.toString('base64url'),
      )
      return [VERSION, ...parts].join('.')
    },
    decrypt(ciphertext, purpose) {
      const [version, nonce = '', tag = '', encrypted = ''] = ciphertext.split('.')
      if (version !== VERSION) throw new Error('The encrypted text has an unknown version')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
        authTagLength: 16,
      })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(Buffer.from(tag, 'base64url'))
      const decrypted = decipher.update(Buffer.from(encrypted, 'base64url'))
      return Buffer.concat([decrypted, decipher.final()]).toString('utf8')
    },
  }
}

/** As `secrets`, but does not decrypt again what it has decrypted last. */
export function withLastDecrypted(secrets: SecretBox): SecretBox {
  let last: { ciphertext: string; purpose: string; text: string } | null = null
  return {
    ...secrets,
    decrypt(ciphertext, purpose) {
      if (last?.ciphertext !== ciphertext || last.purpose !== purpose) {
        last = { ciphertext, purpose, text: secrets.decrypt(ciphertext, purpose) }
      }
      return last.text
    },
  }
}

/** Identifies a hub secret without revealing it, so that a backup can state which secret it needs: `3f9a-01bc-…`. */
export function secretFingerprint(secrets: Pick<SecretBox, 'deriveKey'>): string {
  const hex = secrets.deriveKey('secret fingerprint').subarray(0, 8).toString('hex')
  return hex.match(/.{4}/g)?.join('-') ?? ''
}
