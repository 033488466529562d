/** Decides for each request who is calling and whether they may. */
import { CSRF_HEADER, type SecondFactorWanted, UNATTENDED_HEADER } from '@recordhub/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, mayActAs } from '../domain/auth/caller.ts'
import { HubError } from '../errors.ts'
import { hmacSha256, sameSecret } from '../lib/crypto/hash.ts'
import { ACCESS, type Access, namesOf, WITHOUT_SECOND_FACTOR } from './access.ts'
import { bearerTokenOf, isApiPath, routeOf } from './authentication-challenge.ts'

/** What the page asks for by itself. */
const ASKED_UNBIDDEN = ['/dashboard/realtime', '/dashboard/events']

export type Authenticators = {
  /** The operator whose session cookie a request carries. */
  findOperator: (request: FastifyRequest, options: { keepAlive: boolean }) => Promise<Caller | null>
  /** The program behind a bearer token. */
  findProgram: (token: string) => Promise<Caller | null>
}

export type CsrfTokens = (sessionId: string) => string

/** CSRF tokens that belong to one session each. */
export function createCsrfTokens(key: Uint8Array): CsrfTokens {
  return (sessionId) => hmacSha256(key, sessionId)
}

export type Authorization = {
  /** Who calls; only on routes that ask for a role. */
  callerOf: (request: FastifyRequest) => Caller
}

/**
 * Guards every route by the table of access.
 * @throws Error at start for a route that is not in it.
 */
export function authorize(
  app: FastifyInstance,
  { findOperator, findProgram }: Authenticators,
  { csrfTokenOf, publicUrl }: { csrfTokenOf: CsrfTokens; publicUrl: string },
): Authorization {
  const callers = new WeakMap<FastifyRequest, Caller>()
  const publicHost = URL.parse(publicUrl)?.host

  /** Another site's page must not act here. */
  function expectOwnSite(request: FastifyRequest): void {
    if (!isUnsafe(request) || routeOf(request) === '/dashboard/auto-sync') return
    if (!isFromAnotherSite(request, publicHost)) return
    const origin = URL.parse(request.headers.origin ?? '')?.origin ?? 'an unknown address'
    throw new HubError('origin_not_allowed', { origin })
  }

  async function findCaller(request: FastifyRequest): Promise<Caller | null> {
    const token = bearerTokenOf(request)
    if (token !== undefined && isApiPath(request)) return findProgram(token)
    // Neither an unattended page nor another site keeps an idle session alive.
    const isUnbidden =
      request.headers[UNATTENDED_HEADER.toLowerCase()] !== undefined ||
      ASKED_UNBIDDEN.includes(routeOf(request)) ||
      (isUnsafe(request) && isFromAnotherSite(request, publicHost))
    return findOperator(request, { keepAlive: !isUnbidden })
  }

  async function admit(
    request: FastifyRequest,
    route: string,
    access: Exclude<Access, 'platform'>,
  ) {
    if (access === 'anyone') return expectOwnSite(request)
    const caller = await findCaller(request)
    if (!caller) {
      const isPageAction = isUnsafe(request) && !isApiPath(request)
      throw new HubError(isPageAction ? 'session_or_token_invalid' : 'not_signed_in')
    }
    if (caller.kind === 'operator' && isUnsafe(request)) {
      const token = request.headers[CSRF_HEADER.toLowerCase()]
      if (typeof token !== 'string' || !sameSecret(token, csrfTokenOf(caller.sessionId))) {
        throw new HubError('session_or_token_invalid')
      }
    }
    // After the check of the token, so that a forged request without one gets 419, as any other does.
    expectOwnSite(request)
    if (caller.kind === 'operator') expectSecondFactor(route, caller.wanted)
    if (!mayActAs(caller, access)) throw new HubError('forbidden', { role: access })
    callers.set(request, caller)
  }

  app.addHook('onRoute', (route) => {
    for (const name of namesOf(route)) {
      const access = ACCESS[name]
      if (!access) throw new Error(`${name} is not in the table of access`)
      // The receiver checks keys itself, and takes too many requests for a hook that does nothing.
      if (access === 'platform') continue
      const hooks = route.onRequest ?? []
      route.onRequest = [
        async (request) => admit(request, name, access),
        ...(Array.isArray(hooks) ? hooks : [hooks]),
      ]
    }
  })

  return {
    callerOf(request) {
      const caller = callers.get(request)
      if (!caller) throw new HubError('not_signed_in')
      return caller
    },
  }
}

function expectSecondFactor(route: string, wanted: SecondFactorWanted): void {
  if (wanted === null) return
  const openTo = WITHOUT_SECOND_FACTOR[route]
  if (openTo === 'everybody' || (openTo === 'who has none' && wanted === 'set_up')) return
  throw new HubError(wanted === 'set_up' ? 'second_factor_required' : 'second_factor_unused')
}

function isUnsafe(request: FastifyRequest): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD'
}

/**
 * A browser names the page that a request comes from.
 * @param publicHost the host of HUB_PUBLIC_URL: a tunnel may send another one in `Host`.
 */
function isFromAnotherSite(request: FastifyRequest, publicHost: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  const host = URL.parse(origin ?? '')?.host
  const isOwn = host !== undefined && (host === request.host || host === publicHost)
  const isForeign = origin !== undefined && !isOwn
  // `none` is what a person does without a page, such as by a bookmark.
  const isFromElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none'
  return isForeign || isFromElsewhere
}
