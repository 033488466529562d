/** A hub of a simulation: the receiver, the pulls and the schedule of the real hub, without its other features. */
import { createHash } from 'node:crypto'
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Job } from '../../src/domain/alerts/alert.ts'
import { isStorageUnavailable } from '../../src/errors.ts'
import { createIngestFeature } from '../../src/features/ingest/create-ingest-feature.ts'
import type { Ingest } from '../../src/features/ingest/ingest.ts'
import {
  createDeletionWorker,
  type DeletionWorker,
} from '../../src/features/maintenance/remove-platform.ts'
import { createManifestRefresher } from '../../src/features/platforms/refresh-manifest.ts'
import { createPulls } from '../../src/features/pulls/create-pulls.ts'
import type { RequestPull } from '../../src/features/pulls/request-pull.ts'
import { createRevertJob } from '../../src/features/reverts/create-reverts.ts'
import { handleErrors } from '../../src/http/error-handler.ts'
import { acceptJsonBodies } from '../../src/http/request-bodies.ts'
import { serializerCompiler, validatorCompiler } from '../../src/http/schema-compilers.ts'
import type { SecretBox } from '../../src/lib/crypto/secret-box.ts'
import { createSecretBox } from '../../src/lib/crypto/secret-box.ts'
import { createMetricsRegistry } from '../../src/lib/metrics/registry.ts'
import { type Clock, createDayOf, systemClock } from '../../src/lib/time/clock.ts'
import { sleep } from '../../src/lib/time/run-periodically.ts'
import {
  createPlatformClient,
  type PlatformClient,
} from '../../src/platform-client/platform-client.ts'
import { DEFAULT_TIMEOUTS } from '../../src/platform-client/request/timeouts.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import type { SimulatedConnections } from './network.ts'

export const secrets = createSecretBox(createHash('sha256').update('simulation').digest('base64'))

const dayOf = createDayOf('UTC')

/** The header that carries the id of a push, in place of the random id of a request. */
export const PUSH_ID_HEADER = 'x-simulated-push'
/** The time limit of a pull. */
export const PULL_LIMIT_SECONDS = 120
const BODY_LIMIT = 1024 * 1024

export type HubOptions = {
  storage: Storage
  connections: SimulatedConnections
  missingGraceSeconds: number
  missingThresholdPercent: number
  /** Whether the hub applies reverts. */
  withReverts: boolean
  /** Called with each error that the hub logs as a defect. */
  onDefect: (error: unknown) => void
}

export type RunningHub = {
  http: FastifyInstance
  requestPull: RequestPull
  /** What the actions of operators need. */
  storage: Storage
  deps: { client: PlatformClient; secrets: SecretBox; clock: Clock }
  ingest: Ingest
  deletionWorker: DeletionWorker
  /** Lets the job of reverts look for one at once. */
  wakeReverts: () => void
  stop: () => Promise<void>
}

/** Wires the features as `app.ts` does. */
export async function startHub(options: HubOptions): Promise<RunningHub> {
  const { storage, connections, onDefect } = options
  const log = createLog(onDefect)
  // The simulation makes the storage unavailable.
  const onError = (error: unknown) => isStorageUnavailable(error) || onDefect(error)
  const timeouts = { ...DEFAULT_TIMEOUTS, firstByteSeconds: PULL_LIMIT_SECONDS }
  const client = createPlatformClient({
    ...{ networks: 'any', schemes: 'any', proxy: { http: '', https: '', none: '' } },
    ...{ platformPath: 'hub', tunnelHeader: 'ngrok-skip-browser-warning' },
    ...{ timeouts, dispatcher: connections },
  })
  const common = {
    ...{ ...storage, client, secrets, log },
    ...{ clock: systemClock, monotonicClock: performance, dayOf },
    ...{ metrics: createMetricsRegistry(), tracer: null },
    reportJobFailure: (_: Job, error: unknown) => onError(error),
  }
  const ingest = createIngestFeature({
    ...{
      ...common,
      acceptJsonBodies,
      readGuideOf: null,
      flushIntervalMs: 5000,
      requestLogMs: 1000,
    },
    config: { HUB_RATE_LIMIT: 0, HUB_MAX_RECORD_KEYS: 5000, HUB_REQUEST_LOG_BYTES: 1e8 },
  })
  const pulls = createPulls({
    ...common,
    ...{ ingest: ingest.ingest, rejectedPushSaver: ingest.rejectedPushSaver },
    refreshManifest: createManifestRefresher({ ...common, onError: onDefect }),
    config: {
      HUB_PULL_TIMEOUT_SECONDS: PULL_LIMIT_SECONDS,
      HUB_PULL_CONCURRENCY: 4,
      HUB_FULL_PULL_HOURS: 24,
      HUB_MISSING_FUSE: options.missingThresholdPercent,
      HUB_MISSING_GRACE_SECONDS: options.missingGraceSeconds,
      HUB_PULL_SCHEDULE: '* * * * *',
      HUB_TIME_ZONE: 'UTC',
    },
    timeouts,
    waitForLimit: sleep,
    scheduleTime: { clock: systemClock, wait: sleep },
    followSchedule: (_, signal, run) => run('* * * * *', signal),
    nextRun: () => null,
  })
  const http = await createReceiver(ingest.receiverRoutes, log)
  const deletionWorker = createDeletionWorker({ removals: storage.removals, onError })
  await pulls.start()
  deletionWorker.start()
  const stopping = new AbortController()
  const reverts = createRevertJob({ ...common, ingest: ingest.ingest })
  const jobs = [ingest, pulls].map(({ runJobs }) => runJobs(stopping.signal))
  if (options.withReverts) jobs.push(reverts.run(stopping.signal))
  return {
    http,
    requestPull: pulls.requestPull,
    storage,
    deps: { client, secrets, clock: systemClock },
    ingest: ingest.ingest,
    deletionWorker,
    wakeReverts: reverts.wake,
    async stop() {
      stopping.abort()
      await deletionWorker.stop()
      await pulls.stop()
      await http.close()
      await Promise.all(jobs)
      await ingest.stop()
      await client.close()
    },
  }
}

async function createReceiver(
  routes: ReturnType<typeof createIngestFeature>['receiverRoutes'],
  log: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const http = fastify({
    loggerInstance: log,
    genReqId: ({ headers }) => String(headers[PUSH_ID_HEADER]),
    bodyLimit: BODY_LIMIT,
  })
  http.setValidatorCompiler(validatorCompiler)
  http.setSerializerCompiler(serializerCompiler)
  handleErrors(http)
  await http.register(routes)
  await http.ready()
  return http
}

/** A log that reports errors. The simulated faults lead only to warnings. */
function createLog(onDefect: (error: unknown) => void): FastifyBaseLogger {
  const ignore = () => undefined
  const report = (details: unknown, message?: unknown) => {
    const { err = message ?? details } = Object(details)
    onDefect(err)
  }
  const log: FastifyBaseLogger = {
    level: 'info',
    ...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, silent: ignore },
    ...{ error: report, fatal: report },
    child: () => log,
  }
  return log
}
