import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { ErrorCode, HubError } from '../errors.ts'

const PAUSE_MS = 1000

export type ThrottledLog = {
  tell: (error: HubError, request: FastifyRequest) => void
  /** Tells at once of what would have waited. */
  end: () => void
}

/** Refusals with one code that came in the second which runs, after one of them was told. */
type Second = { timer: NodeJS.Timeout; requests: number; latest: object }

/**
 * Tells of requests that were refused: at once of the first with a code, then once a second how many there
 * were since, with the latest. So nobody fills the log by being refused, and there are no more counters than
 * codes. Only what the route is called is told, not the address that was asked for: keys get into those.
 */
export function createThrottledLog(log: FastifyBaseLogger): ThrottledLog {
  const running = new Map<ErrorCode, Second>()

  function begin(code: ErrorCode): void {
    const timer = setTimeout(() => {
      if (finish(code)) begin(code)
    }, PAUSE_MS)
    timer.unref()
    running.set(code, { timer, requests: 0, latest: {} })
  }

  /** @returns whether there was anything to tell. */
  function finish(code: ErrorCode): boolean {
    const second = running.get(code)
    running.delete(code)
    if (!second) return false
    clearTimeout(second.timer)
    const { requests, latest } = second
    if (requests > 0) write(code, requests, latest)
    return requests > 0
  }

  function write(code: ErrorCode, requests: number, latest: object): void {
    log.warn({ code, requests, ...latest }, 'requests refused')
  }

  return {
    tell(error, request) {
      const latest = describe(error, request)
      const second = running.get(error.code)
      if (second) {
        second.requests += 1
        second.latest = latest
        return
      }
      write(error.code, 1, latest)
      begin(error.code)
    },
    end() {
      for (const code of [...running.keys()]) finish(code)
    },
  }
}

function describe({ status, cause }: HubError, request: FastifyRequest): object {
  const { method, id, ip, routeOptions } = request
  const reason = cause instanceof Error ? cause.message : undefined
  return { status, reason, method, route: routeOptions.url, address: ip, request_id: id }
}
