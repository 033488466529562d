import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createLog, type Log } from '../log.ts'
import { type LoadedPlatform, loadPlatform } from '../platform/load-platform.ts'
import { servePlatform } from '../platform/serve-platform.ts'
import { createRedactor, secretsOf } from '../settings/secrets.ts'
import type { Settings } from '../settings/settings.ts'
import { openSource } from '../sources/open-source.ts'
import { type Source, SourceUnavailable } from '../sources/source.ts'
import { watchChanges } from '../watch/watch-changes.ts'

const MAX_DELAY_MS = 30_000

/**
 * Serves until the signal aborts.
 * @param print is called with the address once the server listens.
 */
export async function serve(
  settings: Settings,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  const log = createLog(createRedactor(secretsOf(settings)))
  const source = await openSource(settings.source)
  const loaded = await loadWhenAvailable(settings, source, log, signal)
  if (!loaded) return
  for (const warning of await source.warnings()) log(warning)
  const server = await servePlatform(loaded.definition, settings, log)
  const watch = settings.push && (await watchChanges(loaded, source, settings.push, log))
  print(`${settings.platform.title} listens at ${server.address}`)
  // The signal may have aborted during the start.
  if (!signal.aborted) await once(signal, 'abort')
  log('stopping')
  await Promise.all([watch?.stop(), server.stop()])
}

/** Waits for a source that is not available yet. Null if the signal aborts first. */
async function loadWhenAvailable(
  settings: Settings,
  source: Source,
  log: Log,
  signal: AbortSignal,
): Promise<LoadedPlatform | null> {
  for (let delay = 1000; !signal.aborted; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
    try {
      return await loadPlatform(settings, source, log)
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error
      log(`${error.message}; retrying in ${delay / 1000} s`)
      await pause(delay, undefined, { signal }).catch(() => undefined)
    }
  }
  return null
}
