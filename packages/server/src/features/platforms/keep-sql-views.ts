import type { FastifyBaseLogger } from 'fastify'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { SqlViews } from '../../storage/port/sql-views.ts'

/**
 * Keeps the views for readers with SQL in step with the modules: once at the start, and after each change
 * of platforms. A hub works without them, so what fails is told in the log and tried at the next change.
 */
export function keepSqlViews(parts: {
  sqlViews: SqlViews
  platforms: Pick<PlatformStore, 'onChange'>
  log: Pick<FastifyBaseLogger, 'warn'>
}): { start: () => void; stop: () => Promise<void> } {
  const { sqlViews, platforms, log } = parts
  let underWay: Promise<void> | null = null
  let isDue = false
  let isStopped = true

  async function refresh(): Promise<void> {
    while (isDue && !isStopped) {
      isDue = false
      try {
        for (const failure of await sqlViews.refreshViews()) {
          log.warn(failure, 'a view for readers with SQL could not be changed')
        }
      } catch (error) {
        log.warn({ err: error }, 'the views for readers with SQL could not be looked at')
      }
    }
    underWay = null
  }
  const request = () => {
    isDue = true
    if (!isStopped) underWay ??= refresh()
  }
  platforms.onChange(request)
  return {
    start() {
      isStopped = false
      request()
    },
    async stop() {
      isStopped = true
      await underWay
    },
  }
}
