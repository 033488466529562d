import type { FastifyBaseLogger } from 'fastify'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { SqlViews } from '../../storage/port/sql-views.ts'

const PAUSE_MS = 1000

/**
 * Keeps the views for readers with SQL in step with the modules: once at the start, and after each change
 * of platforms, one pass for all changes of a second. A hub works without them, so what fails is told in the
 * log and tried at the next change.
 */
export function syncSqlViews(parts: {
  sqlViews: SqlViews
  platforms: Pick<PlatformStore, 'onChange'>
  log: Pick<FastifyBaseLogger, 'warn'>
}): { start: () => void; stop: () => Promise<void> } {
  const { sqlViews, platforms, log } = parts
  let underWay: Promise<void> | null = null
  let isDue = false
  let stopping = new AbortController()
  stopping.abort()

  async function refresh(): Promise<void> {
    while (isDue && !stopping.signal.aborted) {
      isDue = false
      try {
        for (const failure of await sqlViews.refreshViews()) {
          log.warn(failure, 'a view for readers with SQL could not be changed')
        }
      } catch (error) {
        log.warn({ err: error }, 'the views for readers with SQL could not be looked at')
      }
      await sleep(PAUSE_MS, stopping.signal)
    }
    underWay = null
  }
  const request = () => {
    isDue = true
    if (!stopping.signal.aborted) underWay ??= refresh()
  }
  platforms.onChange(request)
  return {
    start() {
      stopping = new AbortController()
      request()
    },
    async stop() {
      stopping.abort()
      await underWay
    },
  }
}
