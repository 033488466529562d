/** Responds with 405 and `Allow` to a method that a path does not accept, and with 404 to an unknown path. */
import { trimTrailing } from '@recordhub/protocol/text'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { HubError } from '../errors.ts'
import { sendError } from './error-handler.ts'

/**
 * Call it after `authorize`, so that an unsupported method is rejected before authorization: `/dashboard/*` and `/:id`
 * also match paths that accept other methods only.
 * @param maxParamLength the maximum length of a parameter in the app's own router.
 */
export function handleUnknownRoutes(app: FastifyInstance, maxParamLength: number): void {
  const methods = new Set<HTTPMethod>()
  const routes: [method: HTTPMethod, url: string][] = []
  const endpoints = new Set<string>()
  app.addHook('onRoute', (route) => {
    const { method, url, config } = route
    if (PARAMETER.test(url)) {
      route.onRequest = [rejectOtherMethods, ...[route.onRequest ?? []].flat()]
    }
    if (!config?.page) endpoints.add(url)
    for (const one of Array.isArray(method) ? method : [method]) {
      if (!isMethod(one)) continue
      methods.add(one)
      routes.push([one, url])
    }
  })
  let built: ReturnType<typeof buildRouter> | null = null
  /** Builds the router for the first request that needs it: most starts of a hub are faster without. */
  const getRouter = () => (built ??= buildRouter(routes, maxParamLength))

  const rejectOtherMethods: onRequestHookHandler = (request, reply, done) => {
    const allowed = findAllowed(request)
    done(isOneOf(allowed, request.method) ? undefined : errorFor(request, reply, allowed))
  }

  /** Whether a path is an endpoint with trailing slashes, which `/dashboard/*` also matches. */
  function isEndpointWithSlash(path: string): boolean {
    const bare = trimTrailing(path, '/')
    if (bare === path) return false
    return [...methods].some((method) =>
      endpoints.has(String(getRouter().find(method, bare)?.store)),
    )
  }

  /** The methods of the most specific route that matches the path; none for an unknown path. */
  function findAllowed({ url }: FastifyRequest): HTTPMethod[] {
    const [path = ''] = url.split('?')
    if (isEndpointWithSlash(path)) return []
    const found = [...methods].flatMap((method) => {
      const match = getRouter().find(method, path)
      return match ? [{ method, rank: rankOf(String(match.store)) }] : []
    })
    const [best] = found.map(({ rank }) => rank).toSorted()
    return found.filter(({ rank }) => rank === best).map(({ method }) => method)
  }

  // Before the body is read, which no limit of `limitBodies` counts.
  app.addHook('onRequest', (request, reply, done) => {
    done(request.is404 ? errorFor(request, reply, findAllowed(request)) : undefined)
  })
  // For paths that a route does not find, such as a file.
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, errorFor(request, reply, findAllowed(request))),
  )
}

function buildRouter(
  routes: readonly (readonly [method: HTTPMethod, url: string])[],
  maxParamLength: number,
) {
  const router = findMyWay({ ignoreTrailingSlash: false, maxParamLength })
  for (const [method, url] of routes) {
    if (!router.hasRoute(method, url)) router.on(method, url, () => undefined, url)
  }
  return router
}

/** If the method is allowed, the path names something that does not exist, such as a file. */
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

/** A sort key: more specific routes come first, such as `/a/b`, `/a/:id`, `/a/*`. */
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
  return METHODS.has(text)
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'])
