/** Authenticates the caller of each request, and checks its role, CSRF token and origin. */
import { Readable } from 'node:stream'
import { CSRF_HEADER, type RequiredSecondFactorStep, UNATTENDED_HEADER } from '@recordhub/protocol'
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from 'fastify'
import type { Requester } from '../domain/activity/activity.ts'
import { type Caller, hasRole, nameOfCaller, type Role } from '../domain/auth/caller.ts'
import { HubError } from '../errors.ts'
import { hmacSha256, sameSecret } from '../lib/crypto/hash.ts'
import { breakOff } from '../lib/net/http.ts'
import {
  ACCESS,
  type Access,
  OPEN_WITHOUT_SECOND_FACTOR,
  requiresCaller,
  routeKeysOf,
  SCOPES,
} from './access.ts'
import { isApiPath, isSentByScript, routeOf, tokenOf } from './error-handler.ts'

/** Routes that pages and feed readers poll without an action of the operator. */
const POLLED_ROUTES = [
  '/dashboard/realtime',
  '/dashboard/events',
  '/api/v1/alerts/events',
  '/api/v1/alerts/feed',
]

export type Authenticators = {
  /** The operator of a request's session cookie. */
  findOperator: (request: FastifyRequest, options: { keepAlive: boolean }) => Promise<Caller | null>
  /** The program with a bearer token. */
  findProgram: (token: string) => Promise<Caller | null>
}

export type SignedInOperator = Extract<Caller, { kind: 'operator' }>

export type CsrfTokens = (sessionId: string) => string

/** CSRF tokens, each derived from the ID of its session. */
export function createCsrfTokens(key: Uint8Array): CsrfTokens {
  return (sessionId) => hmacSha256(key, sessionId)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes that require a role. */
    caller: Caller | null
    /** The caller as the audit log names it. @throws HubError `not_signed_in` on a route that does not require a role. */
    readonly requester: Requester
  }
}

/** The caller of a request. @throws HubError `not_signed_in` on a route that does not require a role. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new HubError('not_signed_in')
  return caller
}

/** The operator who sent a request. @throws HubError `operators_only` for a program. */
export function operatorOf(request: FastifyRequest): SignedInOperator {
  const caller = callerOf(request)
  if (caller.kind !== 'operator') throw new HubError('operators_only')
  return caller
}

/**
 * Applies the table of access to every route. The caller of a response that takes longer than `recheckMs` is checked again
 * before it is sent, and at this interval while it is sent: an export or a stream of events ends with the access.
 * @throws Error at the start if a route is not in the table.
 */
export function authorize(
  app: FastifyInstance,
  { findOperator, findProgram }: Authenticators,
  options: { csrfTokenOf: CsrfTokens; publicUrl: string; recheckMs?: number },
): void {
  const { csrfTokenOf, publicUrl, recheckMs = 15_000 } = options
  app.decorateRequest('caller', null)
  app.decorateRequest('requester', {
    getter() {
      return { actor: nameOfCaller(callerOf(this)), address: this.ip }
    },
  })
  const publicHost = URL.parse(publicUrl)?.host

  /** Rejects actions from pages of other origins. */
  function assertSameOrigin(request: FastifyRequest): void {
    if (!isUnsafe(request) || routeOf(request) === '/dashboard/auto-sync') return
    if (!isCrossOrigin(request, publicHost)) return
    const origin = URL.parse(request.headers.origin ?? '')?.origin ?? 'an unknown address'
    throw new HubError('origin_not_allowed', { origin })
  }

  async function findCaller(
    request: FastifyRequest,
    { keepAlive = true } = {},
  ): Promise<Caller | null> {
    const token = tokenOf(request)
    if (token !== undefined && isApiPath(request)) return findProgram(token)
    // Neither polling by the page nor a request from another origin keeps an idle session alive.
    const isUnattended =
      !keepAlive ||
      request.headers[UNATTENDED_HEADER.toLowerCase()] !== undefined ||
      POLLED_ROUTES.includes(routeOf(request)) ||
      (isUnsafe(request) && isCrossOrigin(request, publicHost))
    return findOperator(request, { keepAlive: !isUnattended })
  }

  async function authorizeRequest(
    request: FastifyRequest,
    route: string,
    access: Exclude<Access, 'platform' | 'scraper'>,
  ) {
    if (access === 'anyone') return assertSameOrigin(request)
    const caller = await findCaller(request)
    if (!caller) {
      throw new HubError(isPageAction(request) ? 'session_or_token_invalid' : 'not_signed_in')
    }
    if (caller.kind === 'operator' && isUnsafe(request)) {
      const token = request.headers[CSRF_HEADER.toLowerCase()]
      if (typeof token !== 'string' || !sameSecret(token, csrfTokenOf(caller.sessionId))) {
        throw new HubError('session_or_token_invalid')
      }
    }
    // After the check of the CSRF token, so that every request without one gets the same response, 419.
    assertSameOrigin(request)
    if (caller.kind === 'operator') assertSecondFactor(route, caller.secondFactorStep)
    if (!hasRole(caller, access)) throw new HubError('forbidden', { role: access })
    const scope = caller.kind === 'program' ? caller.scope : null
    if (scope !== null && !SCOPES[scope].includes(route)) {
      throw new HubError('out_of_scope', { scope })
    }
    request.caller = caller
  }

  /** A database that is temporarily unavailable ends neither the session nor the token. */
  async function hasLostAccess(request: FastifyRequest, access: Role): Promise<boolean> {
    if (request.caller === null) return false
    const caller = await findCaller(request, { keepAlive: false }).catch(() => request.caller)
    return caller === null || !hasRole(caller, access)
  }

  /** A late response to a change is sent: it says what has happened. */
  function endWithAccess(access: Role): onSendHookHandler {
    return (request, reply, payload, done) => {
      const isLate = reply.elapsedTime > recheckMs && request.method === 'GET'
      if (payload instanceof Readable) {
        const timer = setInterval(async () => {
          // Destroying the payload could end the response as if it were complete.
          if (await hasLostAccess(request, access)) breakOff(reply.raw)
        }, recheckMs)
        timer.unref()
        payload.once('close', () => clearInterval(timer))
      }
      if (!isLate || reply.statusCode >= 400) return done(null, payload)
      hasLostAccess(request, access).then((hasLost) => {
        if (!hasLost) return done(null, payload)
        if (payload instanceof Readable) payload.destroy()
        // It describes the payload, which the error replaces.
        reply.removeHeader('content-encoding')
        done(new HubError('not_signed_in'))
      }, done)
    }
  }

  app.addHook('onRoute', (route) => {
    for (const name of routeKeysOf(route)) {
      const access = ACCESS[name]
      if (!access) throw new Error(`${name} is not in the table of access`)
      // The receiver authenticates platforms itself, without the cost of a hook per push.
      if (access === 'platform' || access === 'scraper') continue
      const hooks = route.onRequest ?? []
      route.onRequest = [
        async (request) => authorizeRequest(request, name, access),
        ...(Array.isArray(hooks) ? hooks : [hooks]),
      ]
      if (requiresCaller(access)) {
        route.onSend = [...[route.onSend ?? []].flat(), endWithAccess(access)]
      }
    }
  })
}

function assertSecondFactor(route: string, step: RequiredSecondFactorStep): void {
  if (step === null) return
  const openFor = OPEN_WITHOUT_SECOND_FACTOR[route]
  if (openFor === 'all' || openFor === step) return
  throw new HubError(step === 'set_up' ? 'second_factor_required' : 'second_factor_unused')
}

function isUnsafe(request: FastifyRequest): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD'
}

/** Whether the page sent an action (specification 7). Programs send a token, or no header of the page. */
function isPageAction(request: FastifyRequest): boolean {
  const isByScript = isSentByScript(request.headers)
  return (
    isUnsafe(request) && (!isApiPath(request) || (isByScript && tokenOf(request) === undefined))
  )
}

/**
 * Whether a browser sent the request from a page of another origin.
 * @param publicHost the host of HUB_PUBLIC_URL: a tunnel may send another one in `Host`.
 */
function isCrossOrigin(request: FastifyRequest, publicHost: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  const host = URL.parse(origin ?? '')?.host
  const isOwn = host !== undefined && (host === request.host || host === publicHost)
  const isForeign = origin !== undefined && !isOwn
  // `none` is a navigation without a page, such as from a bookmark.
  const isCrossSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  return isForeign || isCrossSite
}
