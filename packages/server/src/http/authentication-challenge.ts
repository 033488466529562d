import { HUB_KEY_HEADER } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { BASIC_ROUTES } from './access.ts'

const REALM = 'realm="recordhub"'

/**
 * The `WWW-Authenticate` header of a 401 response (RFC 9110, section 11.6.1): the credentials that the path accepts. It
 * is `Basic` only for the routes that feed readers call, because browsers would open a dialog.
 */
export function challengeFor(request: FastifyRequest): string {
  if (routeOf(request).startsWith('/api/webhook/')) {
    return `ApiKey ${REALM}, header="${HUB_KEY_HEADER}"`
  }
  if (acceptsBasic(request)) return `Basic ${REALM}, charset="UTF-8"`
  if (!isApiPath(request) && routeOf(request) !== '/metrics')
    return `Cookie ${REALM}, form-action="/sign-in"`
  // RFC 6750, section 3.1: a request without a token gets no error code.
  const error = tokenOf(request) === undefined ? '' : ', error="invalid_token"'
  return `Bearer ${REALM}${error}`
}

/** Whether a path accepts bearer tokens beside sessions. */
export function isApiPath(request: FastifyRequest): boolean {
  return routeOf(request).startsWith('/api/v1/')
}

/**
 * The pattern of the route that a request matches; empty for an unknown path. The URL itself may be spelled in
 * other ways: with an authority (RFC 9112, section 3.2.2) or percent-encoded.
 */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? ''
}

/** The token that a request carries in `Authorization`: with `Bearer`, or as the password of `Basic` where it is accepted. */
export function tokenOf(request: FastifyRequest): string | undefined {
  const [, scheme = '', credentials = ''] =
    /^(Bearer|Basic) +([^ ].*)$/i.exec(request.headers.authorization ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return credentials.trim()
  if (scheme === '' || !acceptsBasic(request)) return undefined
  // RFC 7617: the user name contains no colon. Any user name is accepted.
  return /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString())?.[1] ?? ''
}

function acceptsBasic(request: FastifyRequest): boolean {
  return BASIC_ROUTES.includes(routeOf(request))
}
