/** Responds with 405 and `Allow` to a method that a path does not accept, and with 404 to an unknown path. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { HubError } from '../errors.ts'
import { sendError } from './error-handler.ts'

/** @param maxParamLength that of the app's own router. */
export function answerUnknownRoutes(app: FastifyInstance, maxParamLength: number): void {
  const methods = new Set<HTTPMethod>()
  const router = findMyWay({ ignoreTrailingSlash: false, maxParamLength })
  const endpoints = new Set<string>()
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.page) endpoints.add(url)
    for (const one of Array.isArray(method) ? method : [method]) {
      if (!isMethod(one)) continue
      methods.add(one)
      if (!router.hasRoute(one, url)) router.on(one, url, () => undefined, url)
    }
  })

  /** Whether a path is that of an endpoint with slashes behind it, which `/dashboard/*` matches too. */
  function isEndpointWithSlash(path: string): boolean {
    const bare = path.replace(/\/+$/, '')
    if (bare === path) return false
    return [...methods].some((method) => endpoints.has(String(router.find(method, bare)?.store)))
  }

  /** The methods of the most specific route that matches the path; none for an unknown path. */
  function findAllowed({ url }: FastifyRequest): HTTPMethod[] {
    const [path = ''] = url.split('?')
    if (isEndpointWithSlash(path)) return []
    const found = [...methods].flatMap((method) => {
      const match = router.find(method, path)
      return match ? [{ method, rank: rankOf(String(match.store)) }] : []
    })
    const [best] = found.map(({ rank }) => rank).toSorted()
    return found.filter(({ rank }) => rank === best).map(({ method }) => method)
  }

  // Before authorization: `/dashboard/*` and `/:id` also match paths that accept other methods only.
  app.addHook('onRequest', (request, reply, done) => {
    const { url = '' } = request.routeOptions
    if (!PARAMETER.test(url)) return done()
    const allowed = findAllowed(request)
    done(isOneOf(allowed, request.method) ? undefined : errorFor(request, reply, allowed))
  })
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, errorFor(request, reply, findAllowed(request))),
  )
}

/** Where its own method is allowed, what the path names does not exist: a file, for instance. */
function errorFor(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: readonly HTTPMethod[],
): HubError {
  const isUnknown = allowed.length === 0 || isOneOf(allowed, request.method)
  return isUnknown
    ? new HubError('not_found', { what: 'page or endpoint' })
    : methodNotAllowed(request, reply, allowed)
}

const PARAMETER = /[:*]/

/** Sorts before the rank of every less specific route that matches the same path: `/a/b`, `/a/:id`, `/a/*`. */
function rankOf(route: string): string {
  return route.replaceAll(/:[^/]+/g, '\uFFFE').replaceAll('*', '\uFFFF')
}

function methodNotAllowed(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly HTTPMethod[],
): HubError {
  const allowed = methods.join(', ')
  reply.header('Allow', allowed)
  return new HubError('method_not_allowed', { method: request.method, allowed })
}

function isOneOf(methods: readonly HTTPMethod[], method: string): boolean {
  return methods.some((one) => one === method)
}

function isMethod(text: string): text is HTTPMethod {
  return findMyWayMethods.has(text)
}

const findMyWayMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
])
