/**
 * A hub for soak tests, started by `soak.ts`. Its retention is in minutes instead of days, so that its database reaches
 * a steady state, and it reports its memory and handles when its parent process requests them.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createHub } from '../packages/server/src/app.ts'
import { createLogger } from '../packages/server/src/cli/create-logger.ts'
import { loadSecrets } from '../packages/server/src/cli/load-secret.ts'
import { openHubStorage } from '../packages/server/src/cli/open-storage.ts'
import {
  limitHeapAfterStart,
  limitHeapDuringStart,
  stopSignal,
} from '../packages/server/src/cli/program.ts'
import { VERSION } from '../packages/server/src/cli/version.ts'
import { readConfig } from '../packages/server/src/config/config.ts'

/** The use of the process after a garbage collection; memory in bytes. */
export type ProcessUse = {
  heap: number
  external: number
  /** Active sockets, timers, … of the main thread. */
  handles: number
}

const RETENTION_DAYS = 4 / (24 * 60)
const RETENTION_INTERVAL_MS = 20_000
const ACTIVITY_LINES = 5000

limitHeapDuringStart()
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
process.on('message', () => {
  collectGarbage()
  const { heapUsed: heap, external } = process.memoryUsage()
  const use: ProcessUse = { heap, external, handles: process.getActiveResourcesInfo().length }
  process.send?.(use)
})

const { config, given } = readConfig({ flags: {}, environment: process.env, envFile: {} })
const logger = createLogger(config)
const signal = stopSignal()
const { storage, secret } = await openHubStorage(config, loadSecrets(config), {
  warn: (message) => logger.warn(message),
  onFailure: (message) => logger.fatal(message),
  waitUntil: signal,
})
const { leases } = storage
const hub = await createHub({
  ...{ given, secret, logger, version: VERSION },
  config: {
    ...config,
    HUB_RETENTION_ACTIVITY_DAYS: RETENTION_DAYS,
    HUB_RETENTION_ACTIVITY_LINES: ACTIVITY_LINES,
    HUB_RETENTION_HISTORY_DAYS: RETENTION_DAYS,
    HUB_RETENTION_PULLS_DAYS: RETENTION_DAYS,
    HUB_RETENTION_REJECTED_DAYS: RETENTION_DAYS,
    HUB_RETENTION_REVIEWS_DAYS: RETENTION_DAYS,
    HUB_RETENTION_AUDIT_DAYS: RETENTION_DAYS,
  },
  storage: {
    ...storage,
    // The lease of the retention lasts an hour.
    leases: {
      ...leases,
      acquire: (name, owner, seconds) =>
        leases.acquire(name, owner, name === 'retention' ? 1 : seconds),
    },
  },
  intervals: { retention: RETENTION_INTERVAL_MS },
})
const { address } = await hub.start()
limitHeapAfterStart()
process.stdout.write(`listens at ${address}\n`)
signal.addEventListener('abort', async () => {
  await hub.stop()
  await storage.close()
  process.exit()
})
