import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hmacSha256, sameSecret } from '../../lib/crypto/hash.ts'
import { readCookie } from './read-cookie.ts'

const YEAR_SECONDS = 365 * 24 * 3600

/**
 * Browsers in which an operator has signed in before. They are told by a cookie that opens nothing: it only
 * keeps an operator from waiting for what others guess. It holds for one e-mail.
 */
export function createTrustedDevices(key: Uint8Array, isBehindTls: boolean) {
  const name = isBehindTls ? '__Host-recordhub.device' : 'recordhub.device'
  const sign = (id: string, email: string) => hmacSha256(key, `${id} ${email.toLowerCase()}`)
  return {
    /** What names the device where this operator has signed in from it; null else. */
    find(request: FastifyRequest, email: string): string | null {
      const [id = '', signature = ''] = readCookie(request, name).split('.')
      return sameSecret(signature, sign(id, email)) ? id : null
    },

    remember(reply: FastifyReply, email: string): void {
      const id = randomUUID()
      const flags = `Path=/; HttpOnly; SameSite=Lax${isBehindTls ? '; Secure' : ''}`
      reply.header(
        'set-cookie',
        `${name}=${id}.${sign(id, email)}; Max-Age=${YEAR_SECONDS}; ${flags}`,
      )
    },
  }
}

export type TrustedDevices = ReturnType<typeof createTrustedDevices>
