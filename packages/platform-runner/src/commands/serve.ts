import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createLog, type Log } from '../log.ts'
import { type LoadedPlatform, loadPlatform } from '../platform/load-platform.ts'
import { servePlatform } from '../platform/serve-platform.ts'
import { createHiding, secretsOf } from '../settings/secrets.ts'
import type { Settings } from '../settings/settings.ts'
import { openSource } from '../sources/open-source.ts'
import { type Source, SourceAway } from '../sources/source.ts'
import { watchChanges } from '../watch/watch-changes.ts'

const LONGEST_WAIT_MS = 30_000

/**
 * Serves until the signal comes.
 * @param print tells that it listens, and where.
 */
export async function serve(
  settings: Settings,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  const log = createLog(createHiding(secretsOf(settings)))
  const source = await openSource(settings.source)
  const loaded = await loadWhenThere(settings, source, log, signal)
  if (!loaded) return
  for (const warning of await source.warnings()) log(warning)
  const server = await servePlatform(loaded.definition, settings, log)
  const watch = settings.push && (await watchChanges(loaded, source, settings.push, log))
  print(`${settings.platform.title} listens at ${server.address}`)
  // It may have come while all that began.
  if (!signal.aborted) await once(signal, 'abort')
  log('stopping')
  await Promise.all([watch?.stop(), server.stop()])
}

/** A database may start after what serves it. Null where it is to stop before that. */
async function loadWhenThere(
  settings: Settings,
  source: Source,
  log: Log,
  signal: AbortSignal,
): Promise<LoadedPlatform | null> {
  for (let wait = 1000; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await loadPlatform(settings, source, log)
    } catch (error) {
      if (!(error instanceof SourceAway)) throw error
      log(`${error.message}; looking again in ${wait / 1000} s`)
      await pause(wait, undefined, { signal }).catch(() => undefined)
    }
  }
  return null
}
