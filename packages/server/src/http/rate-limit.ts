/** How much of the hub each operator or program may take, however few are let in. Counted in each process. */
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Caller, keyOfCaller } from '../domain/auth/caller.ts'
import { HubError, tooManyRequests } from '../errors.ts'
import { createRateLimit, type RateLimit } from '../lib/concurrency/rate-limit.ts'
import type { MonotonicClock } from '../lib/time/clock.ts'
import { ACCESS, isForCallers, namesOf } from './access.ts'

/**
 * What costs the hub, its database or a platform much, or stays open: how many of each a caller may have under
 * way at once.
 */
export const AT_ONCE: Readonly<Record<string, number>> = {
  'GET /api/v1/records/export': 8,
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
  // One for each page that is seen.
  'GET /dashboard/events': 32,
}
const RETRY_SECONDS = 5

type CallerOf = (request: FastifyRequest) => Caller

/**
 * Limits those routes of an authorized app that ask for a role. Who calls is known by then, and what was refused
 * to somebody else does not count.
 * @param perSecond calls of one caller; 0 for no limit.
 */
export function limitRate(
  app: FastifyInstance,
  deps: { callerOf: CallerOf; perSecond: number; monotonicClock: MonotonicClock },
): void {
  const { callerOf, perSecond, monotonicClock } = deps
  if (perSecond > 0) limitCalls(app, callerOf, createRateLimit(perSecond, monotonicClock))
  limitAtOnce(app, callerOf)
}

function limitCalls(app: FastifyInstance, callerOf: CallerOf, rateLimit: RateLimit): void {
  const limit: onRequestHookHandler = (request, _reply, done) => {
    const seconds = rateLimit.take(keyOfCaller(callerOf(request)))
    done(seconds > 0 ? tooManyRequests(seconds) : undefined)
  }
  app.addHook('onRoute', (route) => {
    if (!namesOf(route).some((name) => isForCallers(ACCESS[name]))) return
    route.onRequest = [...[route.onRequest ?? []].flat(), limit]
  })
}

function limitAtOnce(app: FastifyInstance, callerOf: CallerOf): void {
  const underWay = new Map<string, number>()
  app.addHook('onRoute', (route) => {
    for (const name of namesOf(route)) {
      const most = AT_ONCE[name]
      if (most === undefined) continue
      const { handler } = route
      // A handler that answers with a stream gives `reply`, which settles when the answer has ended or was cut off.
      route.handler = async function (request, reply) {
        const key = `${name} ${keyOfCaller(callerOf(request))}`
        const others = underWay.get(key) ?? 0
        if (others >= most) throw tooManyAtOnce(most)
        underWay.set(key, others + 1)
        try {
          return await handler.call(this, request, reply)
        } finally {
          const left = (underWay.get(key) ?? 1) - 1
          if (left > 0) underWay.set(key, left)
          else underWay.delete(key)
        }
      }
    }
  })
}

function tooManyAtOnce(most: number): HubError {
  const words = `You have ${most} of these under way already. Let one of them end, or stop it, and try again in ${RETRY_SECONDS} s.`
  return HubError.withMessage('too_many_requests', words, { retryAfterSeconds: RETRY_SECONDS })
}
