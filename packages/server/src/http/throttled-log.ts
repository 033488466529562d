import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { HubError } from '../errors.ts'

const PAUSE_MS = 1000

type ThrottledLog = {
  record: (error: HubError, request: FastifyRequest) => void
  /** Logs the errors that wait for the end of their second. */
  flush: () => void
}

/** The equal errors since the last log line for them, which is less than a second old. */
type Pending = { timer: NodeJS.Timeout; requests: number; latest: Latest }
type Latest = ReturnType<typeof describe>

/** Statuses of rejections that indicate an attack or explain missing pushes. */
const REJECTION_STATUSES: readonly number[] = [401, 403, 413, 419, 429, 503]

/**
 * Logs rejected and failed requests: the first one of equal errors at once, then one line per second with their number and
 * the latest of them. So a client cannot flood the log. Rejections are equal by their code, failures also by their route
 * and the place in the code, so that the number of counters is bounded. The log contains the pattern of the route instead
 * of the URL, which may contain a key.
 */
export function createThrottledLog(log: FastifyBaseLogger): ThrottledLog {
  const pendingByKey = new Map<string, Pending>()

  function startSecond(key: string, latest: Latest): void {
    const timer = setTimeout(() => {
      const last = endSecond(key)
      if (last) startSecond(key, last)
    }, PAUSE_MS)
    timer.unref()
    pendingByKey.set(key, { timer, requests: 0, latest })
  }

  /** @returns the latest of the errors that were logged; null if there were none. */
  function endSecond(key: string): Latest | null {
    const pending = pendingByKey.get(key)
    pendingByKey.delete(key)
    if (!pending) return null
    clearTimeout(pending.timer)
    if (pending.requests === 0) return null
    write(pending.requests, pending.latest)
    return pending.latest
  }

  function write(requests: number, { level, message, details }: Latest): void {
    log[level]({ requests, ...details }, message)
  }

  return {
    record(error, request) {
      if (!isRejection(error) && error.status < 500) return
      const key = keyOf(error, request)
      const latest = describe(error, request)
      const pending = pendingByKey.get(key)
      if (pending) {
        pending.requests += 1
        pending.latest = latest
        return
      }
      write(1, latest)
      startSecond(key, latest)
    },
    flush() {
      for (const key of [...pendingByKey.keys()]) endSecond(key)
    },
  }
}

/** The log line of an error. It does not keep the request in memory. */
function describe(error: HubError, { method, id, ip, routeOptions }: FastifyRequest) {
  const { code, status, cause } = error
  const where = { code, status, method, route: routeOptions.url, address: ip, request_id: id }
  if (isRejection(error)) {
    const causeMessage = cause instanceof Error ? cause.message : undefined
    const reason = isOfPlatform(error) ? error.message : causeMessage
    const details = { ...where, reason }
    return { level: 'warn', message: 'requests rejected', details } as const
  }
  // An unexpected error itself, without the general one of its response.
  const details = { ...where, err: code === 'internal_error' ? (cause ?? error) : error }
  return { level: 'error', message: 'request failed', details } as const
}

function isRejection(error: HubError): boolean {
  return REJECTION_STATUSES.includes(error.status) || isOfPlatform(error)
}

/** Whether a platform caused the failure, such as by rejecting the key that an operator entered. */
function isOfPlatform({ code, status }: HubError): boolean {
  return status >= 500 && code.startsWith('platform_')
}

function keyOf(error: HubError, { routeOptions }: FastifyRequest): string {
  if (isRejection(error)) return error.code
  const { stack = '' } = error.cause instanceof Error ? error.cause : error
  const place = stack.split('\n').find((line) => line.startsWith('    at '))
  return [error.code, routeOptions.url, place].join(' ')
}
