import { once } from 'node:events'
import { type Logger, pino } from 'pino'
import { openStorageWithSecret } from '../app/open-storage-with-secret.ts'
import { createHub, type Hub } from '../app.ts'
import type { Config } from '../config.ts'
import { loadSecrets } from './load-secret.ts'
import { VERSION } from './version.ts'

export type RunningHub = { address: string; setupLink: string | null; stop: () => Promise<void> }

/** Starts a hub by its settings. The signal ends the wait for a database that is not there yet. */
export async function startHub(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunningHub> {
  const { storage, secret } = await openStorageWithSecret(config, loadSecrets(config), {
    warn: (message) => logger.warn(message),
    waitUntil: signal,
  })
  let hub: Hub | null = null
  try {
    hub = await createHub({ config, storage, secret, logger, version: VERSION })
    const started = await hub.start()
    const running = hub
    return {
      ...started,
      async stop() {
        await running.stop()
        await storage.close()
      },
    }
  } catch (error) {
    await hub?.stop()
    await storage.close()
    throw error
  }
}

export function createLogger(config: Config): Logger {
  return pino({ level: config.HUB_LOG_LEVEL })
}

/** `recordhub start`: runs until a signal asks it to stop. */
export async function start(config: Config, print: (line: string) => void): Promise<void> {
  const signal = stopSignal()
  const hub = await startHub(config, createLogger(config), signal).catch((error: unknown) => {
    // Asked to stop while it waited for its database.
    if (signal.aborted) return null
    throw error
  })
  if (!hub) return
  print(`Recordhub listens at ${hub.address}`)
  if (hub.setupLink) print(`Create the first operator: ${hub.setupLink}`)
  await aborted(signal)
  print('Stopping…')
  await hub.stop()
}

/** Aborts when the process is asked to stop. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
