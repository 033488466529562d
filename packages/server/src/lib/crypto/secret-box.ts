import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 'v1'

/** Seals short secrets so that the database alone does not give them away. */
export type SecretBox = {
  /** AES-256-GCM with a fresh nonce. `purpose` is bound in: sealed for one, it opens for no other. */
  seal(text: string, purpose: string): string
  /** @throws Error where the text was sealed by another secret, for another purpose, or changed. */
  open(sealed: string, purpose: string): string
  /** A key of its own for another use, derived from the same secret. */
  deriveKey(use: string): Buffer
}

/** A box under a key that is derived from `secret` (HKDF-SHA256, RFC 5869). */
export function createSecretBox(secret: string): SecretBox {
  const deriveKey = (use: string) => Buffer.from(hkdfSync('sha256', secret, 'recordhub', use, 32))
  const key = deriveKey('sealed secrets')
  return {
    deriveKey,
    seal(text, purpose) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))
      return [VERSION, ...parts].join('.')
    },
    open(text, purpose) {
      const [version, nonce = '', tag = '', sealed = ''] = text.split('.')
      if (version !== VERSION) throw new Error('This secret was sealed in a form unknown here')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
        authTagLength: 16,
      })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(Buffer.from(tag, 'base64url'))
      const opened = decipher.update(Buffer.from(sealed, 'base64url'))
      return Buffer.concat([opened, decipher.final()]).toString('utf8')
    },
  }
}
