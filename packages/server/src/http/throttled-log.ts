import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { ErrorCode, HubError } from '../errors.ts'

const PAUSE_MS = 1000

type ThrottledLog = {
  record: (error: HubError, request: FastifyRequest) => void
  /** Logs the rejections that wait for the end of their second. */
  flush: () => void
}

/** The rejections with one error code since the last log line for it, which is less than a second old. */
type Pending = { timer: NodeJS.Timeout; requests: number; latest: object }

/**
 * Logs rejected requests: the first one with an error code at once, then one line per second with their number and the
 * latest of them. So a client cannot flood the log, and there is at most one counter per code. The log contains the
 * pattern of the route instead of the URL, which may contain a key.
 */
export function createThrottledLog(log: FastifyBaseLogger): ThrottledLog {
  const pendingByCode = new Map<ErrorCode, Pending>()

  function startSecond(code: ErrorCode): void {
    const timer = setTimeout(() => {
      if (endSecond(code)) startSecond(code)
    }, PAUSE_MS)
    timer.unref()
    pendingByCode.set(code, { timer, requests: 0, latest: {} })
  }

  /** @returns whether there were rejections to log. */
  function endSecond(code: ErrorCode): boolean {
    const pending = pendingByCode.get(code)
    pendingByCode.delete(code)
    if (!pending) return false
    clearTimeout(pending.timer)
    const { requests, latest } = pending
    if (requests > 0) write(code, requests, latest)
    return requests > 0
  }

  function write(code: ErrorCode, requests: number, latest: object): void {
    log.warn({ code, requests, ...latest }, 'requests rejected')
  }

  return {
    record(error, request) {
      const latest = describe(error, request)
      const pending = pendingByCode.get(error.code)
      if (pending) {
        pending.requests += 1
        pending.latest = latest
        return
      }
      write(error.code, 1, latest)
      startSecond(error.code)
    },
    flush() {
      for (const code of [...pendingByCode.keys()]) endSecond(code)
    },
  }
}

function describe({ status, cause }: HubError, request: FastifyRequest): object {
  const { method, id, ip, routeOptions } = request
  const reason = cause instanceof Error ? cause.message : undefined
  return { status, reason, method, route: routeOptions.url, address: ip, request_id: id }
}
