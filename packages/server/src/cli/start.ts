import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createHub, type Hub, type HubDeps } from '../app.ts'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { HubError } from '../errors.ts'
import type { UploadedBackup } from '../features/backups/setup-routes.ts'
import { aborted } from '../lib/time/run-periodically.ts'
import { restoreBackup } from '../storage/backup.ts'
import type { CommandContext } from './arguments.ts'
import { createLogger } from './create-logger.ts'
import type { RunningHub } from './library.ts'
import { loadSecrets, withSecrets } from './load-secret.ts'
import { namingDatabase, openHubStorage } from './open-storage.ts'
import { limitHeapAfterStart, stopSignal } from './program.ts'
import { VERSION } from './version.ts'

type HubConfig = Pick<CommandContext, 'config' | 'given'>

/** `recordhub start`: runs until SIGINT or SIGTERM. */
export async function start({ config, given, print }: CommandContext): Promise<void> {
  const signal = stopSignal()
  const logger = createLogger(config)
  for (let settings = config; ; ) {
    const uploaded = Promise.withResolvers<UploadedBackup>()
    const restoreUpload = uploaded.resolve
    const hub = await startHub({ config: settings, given }, logger, signal, {
      restoreUpload,
    }).catch((error: unknown) => {
      // The signal also ends the wait for a database.
      if (signal.aborted) return null
      throw error
    })
    if (!hub) return
    limitHeapAfterStart()
    print(`Recordhub listens at ${hub.address}`)
    if (hub.metricsAddress) print(`Metrics at ${hub.metricsAddress}/metrics`)
    if (hub.setupLink) print(`Create the first operator: ${hub.setupLink}`)
    const failure = hub.failed.then((error) => stopAfterFailure(hub, error))
    const backup = await Promise.race([aborted(signal), uploaded.promise, failure])
    print(backup ? 'Restoring the backup…' : 'Stopping…')
    await hub.stop()
    if (!backup) return
    await restoreUploaded(config, backup, logger)
    // The page waits for the hub at the same address.
    settings = { ...config, PORT: Number(new URL(hub.address).port) || config.PORT }
  }
}

/** How long requests in progress may take to receive their rejection. */
const FAILURE_GRACE_MS = 5000

/** @throws Error always. */
async function stopAfterFailure(hub: RunningHub, error: Error): Promise<never> {
  const stopped = hub.stop().catch(() => undefined)
  await Promise.race([stopped, setTimeout(FAILURE_GRACE_MS)])
  throw error
}

/** Restores the backup of the setup page. If that fails, the hub starts again without it. */
async function restoreUploaded(
  config: Config,
  { path, passphrase }: UploadedBackup,
  logger: Logger,
): Promise<void> {
  const { DATABASE_URL: url, HUB_DATA_DIR: dataDir, HUB_TIME_ZONE: timeZone } = config
  const request = { path, passphrase, secrets: loadSecrets(config), force: true, timeZone }
  try {
    const { info } = await restoreBackup({ url, dataDir }, request)
    logger.warn({ created_at: info.created_at, tables: info.tables }, 'the backup was restored')
  } catch (error) {
    logger.error({ err: error }, 'the uploaded backup could not be restored')
  } finally {
    rmSync(path, { force: true })
  }
}

/** The demo replaces the time. */
type StartDeps = Pick<HubDeps, 'restoreUpload' | 'clock' | 'scheduleTime' | 'timeouts'>

/** Starts a hub. The signal ends the wait for a database that does not accept connections yet. */
export function startHub(
  settings: HubConfig,
  logger: Logger,
  signal: AbortSignal,
  deps: StartDeps = {},
): Promise<RunningHub> {
  return namingDatabase(settings.config, () => openAndStart(settings, logger, signal, deps))
}

async function openAndStart(
  { config, given }: HubConfig,
  logger: Logger,
  signal: AbortSignal,
  deps: StartDeps,
): Promise<RunningHub> {
  let hub: Hub | null = null
  let failure: Error | null = null
  const failed = Promise.withResolvers<Error>()
  const { storage, secret } = await withSecrets(config, (secrets) =>
    openHubStorage(config, secrets, {
      warn: (message) => logger.warn(message),
      onFailure(message) {
        hub?.rejectAll()
        logger.fatal(message)
        failure = new Error(message)
        failed.resolve(failure)
      },
      waitUntil: signal,
      clock: deps.clock,
    }),
  )
  try {
    hub = await createHub({ config, given, storage, secret, logger, version: VERSION, ...deps })
    const started = await hub.start().catch((error: unknown) => {
      // An invalid first operator comes from the settings.
      const isSetting = error instanceof HubError && error.code === 'invalid_operator'
      if (!isSetting) throw error
      throw new SettingError(`HUB_ADMIN_EMAIL, HUB_ADMIN_PASSWORD: ${error.message}`)
    })
    const running = hub
    return {
      ...started,
      failed: failed.promise,
      async stop() {
        await running.stop()
        await storage.close()
        if (failure) throw failure
      },
    }
  } catch (error) {
    await hub?.stop()
    await storage.close()
    throw error
  }
}
