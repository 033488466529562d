/** Answers 405 with `Allow` where an address is there but does not take the method, else 404. */
import type { FastifyInstance } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { HubError } from '../errors.ts'
import { sendError } from './error-answers.ts'

export function answerUnknownRoutes(app: FastifyInstance): void {
  const methods = new Set<HTTPMethod>()
  const router = findMyWay({ ignoreTrailingSlash: false })
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of Array.isArray(method) ? method : [method]) {
      if (!isMethod(one)) continue
      methods.add(one)
      if (!router.hasRoute(one, url)) router.on(one, url, () => undefined)
    }
  })
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?')
    const allowed = [...methods].filter((method) => router.find(method, path) !== null)
    // Where its own method is allowed, what the path names is not there: a file, for instance.
    if (allowed.length === 0 || allowed.some((method) => method === request.method)) {
      return sendError(request, reply, new HubError('not_found', { what: 'page or endpoint' }))
    }
    reply.header('Allow', allowed.join(', '))
    const params = { method: request.method, allowed: allowed.join(', ') }
    return sendError(request, reply, new HubError('method_not_allowed', params))
  })
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
