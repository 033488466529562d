/** Liveness and readiness of the process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { HubError, storageUnavailable } from '../errors.ts'

const TIMEOUT_MS = 3000
const CACHE_MS = 1000

export function healthRoutes(deps: { checkReady: () => Promise<void> }): FastifyPluginAsyncTypebox {
  const schema = (summary: string) => ({
    summary,
    response: { 200: Type.Object({ success: Type.Literal(true), status: Type.String() }) },
  })
  return async (app) => {
    app.get('/healthz', { schema: schema('Check that the process responds') }, async () => ({
      success: true as const,
      status: 'alive',
    }))
    app.get('/readyz', { schema: schema('Check that the database accepts writes') }, async () => {
      try {
        await deps.checkReady()
        return { success: true as const, status: 'ready' }
      } catch (error) {
        if (error instanceof HubError) throw error
        throw storageUnavailable(error)
      }
    })
  }
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
