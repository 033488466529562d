import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { HubError } from '../errors.ts'

const PAUSE_MS = 1000

/**
 * Tells of requests that were refused: at once of the first with a code, then once a second how many there
 * were since, with the latest. So nobody fills the log by being refused, and there are no more counters than
 * codes. Only what the route is called is told, not the address that was asked for: keys get into those.
 */
export function createRefusalLog(
  log: FastifyBaseLogger,
): (error: HubError, request: FastifyRequest) => void {
  const told = new Map<string, { at: number; untold: number }>()
  return ({ code, status, cause }, request) => {
    const last = told.get(code) ?? { at: Number.NEGATIVE_INFINITY, untold: 0 }
    last.untold += 1
    told.set(code, last)
    if (performance.now() - last.at < PAUSE_MS) return
    const { method, id, ip, routeOptions } = request
    const reason = cause instanceof Error ? cause.message : undefined
    const latest = { method, route: routeOptions.url, address: ip, request_id: id }
    log.warn({ code, status, reason, requests: last.untold, ...latest }, 'requests refused')
    last.at = performance.now()
    last.untold = 0
  }
}
