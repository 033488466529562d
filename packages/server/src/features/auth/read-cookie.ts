import type { FastifyRequest } from 'fastify'

/** The first cookie of exactly this name as it was sent, which is the one that Better Auth takes; '' for none. */
export function readCookie(request: FastifyRequest, name: string): string {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return ''
}
