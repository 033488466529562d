import { type Logger, pino } from 'pino'
import { createHub, type Hub } from '../app.ts'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { HubError } from '../errors.ts'
import type { RunningHub } from './library.ts'
import { limitHeapAfterStart } from './limit-heap.ts'
import { loadSecrets } from './load-secret.ts'
import { openHubStorage } from './open-storage.ts'
import { aborted, stopSignal } from './stop-signal.ts'
import { VERSION } from './version.ts'

/** `recordhub start`: runs until SIGINT or SIGTERM. */
export async function start(config: Config, print: (line: string) => void): Promise<void> {
  const signal = stopSignal()
  const hub = await startHub(config, createLogger(config), signal).catch((error: unknown) => {
    // The signal also ends the wait for a database.
    if (signal.aborted) return null
    throw error
  })
  if (!hub) return
  limitHeapAfterStart()
  print(`Recordhub listens at ${hub.address}`)
  if (hub.metricsAddress) print(`Metrics at ${hub.metricsAddress}/metrics`)
  if (hub.setupLink) print(`Create the first operator: ${hub.setupLink}`)
  await aborted(signal)
  print('Stopping…')
  await hub.stop()
}

/** Starts a hub. The signal ends the wait for a database that does not accept connections yet. */
export async function startHub(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunningHub> {
  const { storage, secret } = await openHubStorage(config, loadSecrets(config), {
    warn: (message) => logger.warn(message),
    waitUntil: signal,
  })
  let hub: Hub | null = null
  try {
    hub = await createHub({ config, storage, secret, logger, version: VERSION })
    const started = await hub.start().catch((error: unknown) => {
      throw toSettingError(error)
    })
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

/** An invalid first operator comes from the settings. */
function toSettingError(error: unknown): unknown {
  if (!(error instanceof HubError && error.code === 'invalid_operator')) return error
  return new SettingError(`HUB_ADMIN_EMAIL, HUB_ADMIN_PASSWORD: ${error.message}`)
}

export function createLogger(config: Config): Logger {
  return pino({ level: config.HUB_LOG_LEVEL })
}
