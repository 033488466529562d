/** Limits how much of the hub one operator or program can use. Each process counts separately. */
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { keyOfCaller } from '../domain/auth/caller.ts'
import { HubError, tooManyRequests } from '../errors.ts'
import { createRateLimit, type RateLimit } from '../lib/concurrency/rate-limit.ts'
import type { MonotonicClock } from '../lib/time/clock.ts'
import { ACCESS, requiresCaller, routeKeysOf } from './access.ts'
import { callerOf } from './authorize.ts'

/**
 * The maximum number of concurrent requests of one caller, for the routes that are expensive for the hub, its database
 * or a platform, or that stay open.
 */
export const MAX_CONCURRENT: Readonly<Record<string, number>> = {
  'GET /api/v1/records': 16,
  'GET /api/v1/records/export': 8,
  'GET /api/v1/records/facets': 8,
  'GET /api/v1/platforms/:id/modules/:record_type/fields': 8,
  'GET /api/v1/activity/export': 8,
  'GET /api/v1/audit/export': 8,
  'GET /api/v1/search': 8,
  'POST /api/v1/platforms/probe': 16,
  'POST /api/v1/platforms': 16,
  'PATCH /api/v1/platforms/:id': 16,
  'POST /api/v1/platforms/:id/test': 16,
  'POST /api/v1/platforms/:id/manifest/refresh': 16,
  'POST /api/v1/platforms/conformance': 4,
  'POST /api/v1/platforms/:id/conformance': 4,
  'POST /api/v1/alerts/test-mail': 4,
  'GET /api/v1/alerts/events': 8,
  // One per open page.
  'GET /dashboard/events': 32,
}
/** Routes that share the read thread, which has 64 places: one caller can have a quarter. */
const READS = [
  'GET /api/v1/records',
  'GET /api/v1/records/export',
  'GET /api/v1/records/facets',
  'GET /api/v1/platforms/:id/modules/:record_type/fields',
  'GET /api/v1/search',
]
const SHARED_READS = { name: 'reads', max: 16 }
const RETRY_SECONDS = 5

/**
 * Limits the routes that require a role. The hooks run after the authorization, so rejected requests of others do not
 * count.
 * @param deps.perSecond requests per second of one caller; 0 for no limit.
 */
export function limitRate(
  app: FastifyInstance,
  { perSecond, monotonicClock }: { perSecond: number; monotonicClock: MonotonicClock },
): void {
  if (perSecond > 0) limitRequests(app, createRateLimit(perSecond, monotonicClock))
  limitConcurrency(app)
}

function limitRequests(app: FastifyInstance, rateLimit: RateLimit): void {
  const limit: onRequestHookHandler = (request, _reply, done) => {
    const seconds = rateLimit.take(keyOfCaller(callerOf(request)))
    done(seconds > 0 ? tooManyRequests(seconds) : undefined)
  }
  app.addHook('onRoute', (route) => {
    if (!routeKeysOf(route).some((key) => requiresCaller(ACCESS[key]))) return
    route.onRequest = [...[route.onRequest ?? []].flat(), limit]
  })
}

function limitConcurrency(app: FastifyInstance): void {
  const inProgress = new Map<string, number>()
  const countOf = (key: string) => inProgress.get(key) ?? 0
  app.addHook('onRoute', (route) => {
    for (const routeKey of routeKeysOf(route)) {
      const max = MAX_CONCURRENT[routeKey]
      if (max === undefined) continue
      const { handler } = route
      const limits = [{ name: routeKey, max }, ...(READS.includes(routeKey) ? [SHARED_READS] : [])]
      // A handler that sends a stream returns `reply`, which settles when the response has ended or was aborted.
      route.handler = async function (request, reply) {
        const caller = keyOfCaller(callerOf(request))
        const keys = limits.map(({ name }) => `${name} ${caller}`)
        const reached = limits.find(({ name, max }) => countOf(`${name} ${caller}`) >= max)
        if (reached) throw tooManyConcurrent(reached.max)
        for (const key of keys) inProgress.set(key, countOf(key) + 1)
        try {
          return await handler.call(this, request, reply)
        } finally {
          for (const key of keys) {
            const remaining = countOf(key) - 1
            if (remaining > 0) inProgress.set(key, remaining)
            else inProgress.delete(key)
          }
        }
      }
    }
  })
}

function tooManyConcurrent(max: number): HubError {
  const message = `You already have ${max} of these requests in progress. Wait for one of them to end, or cancel it, and try again in ${RETRY_SECONDS} s.`
  return HubError.withMessage('too_many_requests', message, { retryAfterSeconds: RETRY_SECONDS })
}
