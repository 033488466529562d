import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hmacSha256, sameSecret } from '../../lib/crypto/hash.ts'
import { readCookie } from './forward-to-better-auth.ts'

const YEAR_SECONDS = 365 * 24 * 3600

/**
 * Browsers in which an operator has signed in before, identified by a signed cookie for one e-mail address. The cookie
 * grants no access: it only keeps failed attempts from elsewhere from delaying the operator.
 */
export function createTrustedDevices(key: Uint8Array, isBehindTls: boolean) {
  const name = isBehindTls ? '__Host-recordhub.device' : 'recordhub.device'
  const sign = (id: string, email: string) => hmacSha256(key, `${id} ${email.toLowerCase()}`)
  return {
    /** The ID of the device; null if this operator has not signed in from it. */
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
