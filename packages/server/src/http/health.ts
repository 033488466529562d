/** Liveness and readiness of the process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { HubError, storageUnavailable } from '../errors.ts'
import { route } from './route.ts'

const TIMEOUT_MS = 3000
const CACHE_MS = 1000

export function healthRoutes(deps: { checkReady: () => Promise<void> }) {
  const response = { status: Type.String() }
  return [
    route('GET /healthz', {
      summary: 'Check that the process responds',
      response,
      handle: () => ({ status: 'alive' }),
    }),

    route('GET /readyz', {
      summary: 'Check that the database accepts writes',
      response,
      async handle() {
        try {
          await deps.checkReady()
          return { status: 'ready' }
        } catch (error) {
          if (error instanceof HubError) throw error
          throw storageUnavailable(error)
        }
      },
    }),
  ]
}

/**
 * Checks that the database accepts writes. A check costs a write and anyone may request one, so all requests within a
 * second share its result.
 */
export function createReadyCheck(checkWritable: () => Promise<void>): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY
  let result = Promise.resolve()
  return () => {
    if (performance.now() - checkedAt < CACHE_MS) return result
    checkedAt = performance.now()
    result = withTimeout(checkWritable())
    return result
  }
}

/** A health check must not wait for a database that does not respond. */
async function withTimeout(check: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const timeout = sleep(TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw storageUnavailable()
  })
  try {
    await Promise.race([check, timeout])
  } finally {
    timeout.catch(() => undefined)
    timer.abort()
  }
}
