import type { FastifyRequest } from 'fastify'

/** The value of the first cookie with this name, as it was sent; '' if there is none. Better Auth reads the first, too. */
export function readCookie(request: FastifyRequest, name: string): string {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return ''
}
