import { sleep } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAUSE_MS = 1000

/**
 * Updates the SQL views for external readers when modules change: once at the start, and at most once per second after
 * changes of platforms. On SQLite, there are none to update. The hub works without the views, so an error is reported, and the next change retries.
 */
export function syncSqlViews(
  deps: Pick<FeatureDeps, 'sqlViews' | 'platforms' | 'log' | 'reportJobFailure'>,
): { start: () => void; stop: () => Promise<void> } {
  const { sqlViews, platforms, log, reportJobFailure } = deps
  let running: Promise<void> | null = null
  let isDue = false
  let stopping = new AbortController()
  stopping.abort()

  async function refresh(): Promise<void> {
    while (isDue && !stopping.signal.aborted) {
      isDue = false
      try {
        for (const failure of await sqlViews.refreshViews()) {
          log.warn(failure, 'an SQL view could not be updated')
        }
      } catch (error) {
        reportJobFailure('SQL views', error)
      }
      await sleep(PAUSE_MS, stopping.signal)
    }
    running = null
  }
  const request = () => {
    isDue = true
    if (!stopping.signal.aborted) running ??= refresh()
  }
  platforms.onChange(request)
  return {
    start() {
      stopping = new AbortController()
      request()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
