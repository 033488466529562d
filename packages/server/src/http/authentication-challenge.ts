import { HUB_KEY_HEADER } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'

const REALM = 'realm="recordhub"'

/**
 * The `WWW-Authenticate` header of a 401 response (RFC 9110, section 11.6.1): the credentials that the path
 * accepts. It is never `Basic`, since browsers open a dialog for it.
 */
export function challengeFor(request: FastifyRequest): string {
  if (request.url.startsWith('/api/webhook/')) return `ApiKey ${REALM}, header="${HUB_KEY_HEADER}"`
  if (!isApiPath(request)) return `Cookie ${REALM}, form-action="/sign-in"`
  // RFC 6750, section 3.1: a request without a token gets no error code.
  const error = bearerTokenOf(request) === undefined ? '' : ', error="invalid_token"'
  return `Bearer ${REALM}${error}`
}

/** Whether a path accepts bearer tokens beside sessions. */
export function isApiPath(request: FastifyRequest): boolean {
  return request.url.startsWith('/api/v1/')
}

/** The token that a request carries in `Authorization`. */
export function bearerTokenOf(request: FastifyRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim()
}
