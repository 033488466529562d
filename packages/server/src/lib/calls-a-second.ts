import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { HubError } from '../errors.ts'

/** For `@fastify/rate-limit`: of each key so many calls a second, in this process; what is more is 429. */
export function callsASecond(
  max: number,
  keyOf: (request: FastifyRequest) => string,
): RateLimitPluginOptions {
  return {
    max,
    timeWindow: 1000,
    keyGenerator: keyOf,
    errorResponseBuilder: () =>
      new HubError('too_many_requests', { seconds: 1 }, { retryAfterSeconds: 1 }),
  }
}
