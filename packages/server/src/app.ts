/** The composition root: wires the storage, the features and the HTTP server. */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { GivenSettings } from './config/config.ts'
import {
  backupFolderOf,
  cronPatternOf,
  toBootstrapOperator,
  toOidcSettings,
  toPlatformClientSettings,
  toTracingSettings,
} from './config/feature-settings.ts'
import type { Config } from './config/settings.ts'
import { createAuth } from './features/auth/create-auth.ts'
import { findNewestBackup } from './features/backups/backup-folder.ts'
import { createBackups } from './features/backups/create-backups.ts'
import type { RestoreUpload } from './features/backups/setup-routes.ts'
import { createGuideWriter, downloadRoutes, guideRoutes } from './features/guide/guide-routes.ts'
import { createReadInbox, inboxRoutes } from './features/inbox/inbox-routes.ts'
import { createIngestFeature } from './features/ingest/create-ingest-feature.ts'
import { createMaintenance } from './features/maintenance/create-maintenance.ts'
import { createBroadcaster } from './features/monitoring/broadcast.ts'
import { createMonitoring } from './features/monitoring/create-monitoring.ts'
import { createJobMonitor } from './features/monitoring/job-monitor.ts'
import { MAIL_TIMEOUTS, type MailTimeouts } from './features/monitoring/mail-alerts.ts'
import {
  collectMetrics,
  type MetricsProtection,
  metricsRoutes,
} from './features/monitoring/metrics/metrics-endpoint.ts'
import { readSnapshotPull } from './features/monitoring/read-snapshot.ts'
import { invitationRoutes } from './features/operators/invitation-routes.ts'
import { operatorRoutes } from './features/operators/operator-routes.ts'
import { tokenRoutes } from './features/operators/token-routes.ts'
import {
  createCertificateRecorder,
  createPlatforms,
} from './features/platforms/create-platforms.ts'
import { createPulls } from './features/pulls/create-pulls.ts'
import { readSchedule } from './features/pulls/schedule-routes.ts'
import { changeRoutes } from './features/records/change-routes.ts'
import { erasureRoutes } from './features/records/erasure-routes.ts'
import { exportRoutes } from './features/records/export-routes.ts'
import { historyRoutes } from './features/records/history-routes.ts'
import { recordListRoutes } from './features/records/list-records.ts'
import { searchRecords } from './features/records/search-records.ts'
import { valueRoutes } from './features/records/value-routes.ts'
import { viewRoutes } from './features/records/view-routes.ts'
import { createReverts } from './features/reverts/create-reverts.ts'
import { createSearch } from './features/search/create-search.ts'
import { createHubSettings } from './features/settings/hub-settings.ts'
import { settingsRoutes } from './features/settings/settings-routes.ts'
import { createCsrfTokens } from './http/authorize.ts'
import { warnOfFewFiles } from './http/connection-limit.ts'
import { createReadyCheck, healthRoutes } from './http/health.ts'
import { describeApi } from './http/openapi.ts'
import { acceptJsonBodies, collectBodyMetrics } from './http/request-bodies.ts'
import { toPlugin } from './http/route.ts'
import { createHttpServer, createMetricsServer, listen } from './http/server.ts'
import { registerWebRoutes } from './http/web-routes.ts'
import { PASSWORD_COST, type PasswordCost } from './lib/crypto/password-hash.ts'
import { createSecretBox } from './lib/crypto/secret-box.ts'
import { readMaxOpenFiles } from './lib/metrics/process-metrics.ts'
import { createMetricsRegistry } from './lib/metrics/registry.ts'
import { registerRoutes } from './lib/net/http.ts'
import { type Clock, createDayOf, type MonotonicClock } from './lib/time/clock.ts'
import { nextCronTime, type ScheduleTime } from './lib/time/cron.ts'
import { sleep } from './lib/time/run-periodically.ts'
import type { OtlpTracer } from './lib/tracing/otlp-tracer.ts'
import { createPlatformClient } from './platform-client/platform-client.ts'
import { createRequestMetrics } from './platform-client/request/request-with-retry.ts'
import { DEFAULT_TIMEOUTS, type PlatformTimeouts } from './platform-client/request/timeouts.ts'
import type { Storage } from './storage/port/storage.ts'

/** The intervals of background work, in milliseconds. */
const INTERVALS = {
  alerts: 30_000,
  retention: 600_000,
  heartbeat: 15_000,
  alertEvents: 1000,
  pushErrors: 5000,
  requestLog: 1000,
  /** The minimum time between two broadcasts to a page. */
  broadcast: 1000,
  /** Scrapes of the metrics within this time share a read of the database. */
  metrics: 5000,
  /** The pause between two exports of traces. */
  traces: 5000,
}
export type BackgroundIntervals = typeof INTERVALS

/** The time that requests in progress get to finish when the hub stops. */
const GRACE_MS = 5000

export type HubDeps = {
  config: Config
  /** The settings that flags and variables set. An admin can change others in the hub. */
  given: GivenSettings
  storage: Storage
  /** Encrypts stored keys and signs sessions. */
  secret: string
  logger: FastifyBaseLogger
  version: string
  /** Restarts the hub with a backup that was uploaded on the setup page; without it, none can be uploaded. */
  restoreUpload?: RestoreUpload
  /** Tests replace the following. */
  clock?: Clock
  monotonicClock?: MonotonicClock
  timeouts?: Partial<PlatformTimeouts>
  mailTimeouts?: MailTimeouts
  /** Waits for the time limit of a pull. */
  waitForLimit?: typeof sleep
  /** The time of the schedules of pulls and backups. */
  scheduleTime?: ScheduleTime
  intervals?: Partial<BackgroundIntervals>
  passwordCost?: PasswordCost
}

export type Hub = {
  http: FastifyInstance
  /**
   * Listens and starts background work. `metricsAddress` is the URL of the second port; null without one. `setupLink` is
   * null if an operator exists.
   */
  start: () => Promise<{ address: string; metricsAddress: string | null; setupLink: string | null }>
  /** From now on, every response is the error `storage_failed`, also to requests in progress. */
  rejectAll: () => void
  /** Stops background work and listening. Does not close the storage. */
  stop: () => Promise<void>
}

export async function createHub(deps: HubDeps): Promise<Hub> {
  const { storage, logger: log, version } = deps
  const hubSettings = createHubSettings({ ...deps, settings: storage.settings, log })
  await hubSettings.refresh()
  const { config, followSchedule } = hubSettings
  const { clock = storage.clock, monotonicClock = performance } = deps
  const intervals = { ...INTERVALS, ...deps.intervals }
  const publicUrl = config.HUB_PUBLIC_URL
  const timeZone = config.HUB_TIME_ZONE
  const isBehindTls = publicUrl.startsWith('https:')
  const firstByteSeconds = config.HUB_PULL_TIMEOUT_SECONDS
  const timeouts = { ...DEFAULT_TIMEOUTS, firstByteSeconds, ...deps.timeouts }
  const metrics = createMetricsRegistry()
  const client = createPlatformClient({
    ...toPlatformClientSettings(config, timeouts),
    metrics: createRequestMetrics(metrics),
    onCertificate: createCertificateRecorder({ ...storage, clock, log }),
  })
  const tracer = await createTracer(deps, intervals.traces)
  const secrets = createSecretBox(deps.secret)
  const csrfTokenOf = createCsrfTokens(secrets.deriveKey('csrf tokens'))
  const checkReady = createReadyCheck(() => storage.checkWritable())
  const { clock: scheduleClock, wait } = deps.scheduleTime ?? { clock, wait: sleep }
  const nextRun = () => {
    const pattern = cronPatternOf(config.HUB_PULL_SCHEDULE)
    return pattern === null ? null : nextCronTime(pattern, timeZone, scheduleClock.now())
  }
  const jobMonitor = createJobMonitor({ ...storage, clock, log })
  const stopping = new AbortController()
  let isStarted = false
  let hasStorageFailed = false

  // Dependencies of several features.
  const common = {
    ...{ ...storage, storage, config, client, secrets, clock, monotonicClock, log, version },
    ...{ publicUrl, isBehindTls },
    ...{ metrics, tracer },
    ...{ csrfTokenOf, dayOf: createDayOf(timeZone) },
    ...{ scheduleTime: { clock: scheduleClock, wait }, followSchedule, nextRun },
    ...{ reportJobFailure: jobMonitor.report, jobFailures: jobMonitor.failures },
  }
  // The features.
  const auth = createAuth({
    ...common,
    oidc: toOidcSettings(config),
    bootstrapOperator: toBootstrapOperator(config),
    passwordCost: deps.passwordCost ?? PASSWORD_COST,
  })
  const { betterAuth, confirmAction, isSetupToken, assertMayRequireSecondFactor } = auth
  const broadcaster = config.HUB_BROADCAST
    ? createBroadcaster({
        ...{ ...common, sleep, pauseMs: intervals.broadcast },
        readPull: () => readSnapshotPull(common),
        readHealth: () => storage.platforms.listHealth(),
        async readSchedule() {
          await hubSettings.refresh()
          return readSchedule(common)
        },
        onError: (error) => log.warn({ err: error }, 'an event of the dashboard could not be read'),
      })
    : null
  const findNewest = () => findNewestBackup(backupFolderOf(config), storage.backups)
  const inboxDeps = { ...common, findNewestBackup: findNewest }
  const monitoring = createMonitoring({
    ...{ ...common, broadcaster, checkReady, readInbox: createReadInbox(inboxDeps) },
    mailTimeouts: deps.mailTimeouts ?? MAIL_TIMEOUTS,
    alertIntervalMs: intervals.alerts,
    heartbeatMs: intervals.heartbeat,
    alertEventIntervalMs: intervals.alertEvents,
    stopping: stopping.signal,
  })
  const { sendMail } = monitoring
  const operatorDeps = { ...common, betterAuth, confirmAction, sendMail }
  const platforms = createPlatforms({ ...common, confirmAction })
  const writeGuide = createGuideWriter(common)
  const ingest = createIngestFeature({
    ...{ ...common, acceptJsonBodies },
    readGuideOf: async (request, choice) => (await writeGuide(request, choice)).markdown,
    flushIntervalMs: intervals.pushErrors,
    requestLogMs: intervals.requestLog,
  })
  const pulls = createPulls({
    ...{ ...common, timeouts, ingest: ingest.ingest, rejectedPushSaver: ingest.rejectedPushSaver },
    refreshManifest: platforms.refreshManifest,
    waitForLimit: deps.waitForLimit ?? sleep,
  })
  const reverts = createReverts({ ...common, ingest: ingest.ingest, confirmAction })
  const search = createSearch({
    ...{ ...common, stopping: stopping.signal, hasPushes: ingest.ingest.hasPushes },
    searchRecords: (one, limit) => searchRecords(common, one, limit),
  })
  const maintenance = createMaintenance({ ...common, retentionIntervalMs: intervals.retention })
  const restoreUpload = deps.restoreUpload ?? null
  const backups = createBackups({ ...common, isSetupToken, restoreUpload })

  // The HTTP server and its routes.
  const rejectionReason = () => {
    if (hasStorageFailed) return 'storage_failed'
    return stopping.signal.aborted ? 'shutting_down' : isStarted ? null : 'starting'
  }
  const http = {
    bodyLimit: config.HUB_MAX_BODY_BYTES,
    trustProxy: config.HUB_TRUST_PROXY,
    hstsSubdomains: config.HUB_HSTS_SUBDOMAINS,
    ...(config.HUB_ACCESS_LOG ? { accessLog: log } : {}),
    ...{ logger: log, isBehindTls, publicUrl, rejectionReason },
    recheckMs: intervals.heartbeat,
  }
  const { app, bodies, closeConnections } = await createHttpServer(http, auth, csrfTokenOf)
  collectBodyMetrics(metrics, bodies)
  describeApi(app, version)
  const health = healthRoutes({ checkReady })
  const { HUB_METRICS_TOKEN: token, HUB_METRICS_PORT: metricsPort } = config
  const metricsOn = (protection: MetricsProtection) =>
    metricsRoutes({ metrics }, token === '' ? protection : { token })
  ingest.logUnknownPaths(app)
  await registerRoutes(app, ingest.receiverRoutes)
  await registerRoutes(app, toPlugin([...health, ...metricsOn('closed')]))
  const listener =
    metricsPort === null ? null : { port: metricsPort, host: config.HUB_METRICS_HOST }
  const second = listener && (await createMetricsServer(http, [...health, ...metricsOn('open')]))
  await registerWebRoutes(app, {
    ...{ csrfTokenOf, monotonicClock, hasOperators: storage.operators.hasOperators },
    perSecond: config.HUB_API_RATE_LIMIT,
    routes: [
      ...auth.routes,
      ...operatorRoutes(operatorDeps),
      ...invitationRoutes(operatorDeps),
      ...tokenRoutes(operatorDeps),
      ...settingsRoutes({ ...operatorDeps, hubSettings, assertMayRequireSecondFactor }),
      ...platforms.routes,
      ...pulls.routes,
      ...reverts.routes,
      ...recordListRoutes(common),
      ...viewRoutes(common),
      ...valueRoutes(common),
      ...exportRoutes(common),
      ...historyRoutes(common),
      ...changeRoutes(common),
      ...erasureRoutes(common),
      ...search.routes,
      ...ingest.routes,
      ...maintenance.routes,
      ...backups.routes,
      ...monitoring.routes,
      ...guideRoutes(writeGuide),
      ...inboxRoutes(inboxDeps),
    ],
    downloadRoutes,
  })

  let jobs: Promise<void>[] = []
  let measuring: { stop: () => void } | null = null
  return {
    http: app,
    async start() {
      await auth.start()
      warnOfFewFiles(readMaxOpenFiles(), log)
      // Listens first: if the port is taken, the hub must not touch the database that it shares with other nodes.
      const address = await listen(app, { port: config.PORT, host: config.HOST })
      const metricsAddress =
        second && (await listen(second.app, { ...listener, setting: 'HUB_METRICS_PORT' }))
      if (token !== '' || second) {
        const { engine } = await storage.readEngine()
        const spans = tracer?.counts ?? null
        measuring = collectMetrics({ ...common, engine, cacheMs: intervals.metrics, spans })
      }
      await pulls.start()
      search.start()
      jobs = [hubSettings, pulls, reverts, monitoring, maintenance, ingest, backups].map(
        ({ runJobs }) => runJobs(stopping.signal),
      )
      platforms.start()
      maintenance.start()
      isStarted = true
      return { address, metricsAddress, setupLink: await auth.findSetupLink(publicUrl || address) }
    },
    rejectAll() {
      hasStorageFailed = true
    },
    async stop() {
      // From here on, new requests are rejected and jobs end.
      stopping.abort()
      broadcaster?.stop()
      for (const feature of [pulls, search, platforms, maintenance, backups]) await feature.stop()
      // Requests in progress may finish. A client that sends nothing more must not delay the stop.
      const grace = setTimeout(closeConnections, GRACE_MS)
      await app.close()
      clearTimeout(grace)
      await auth.stop()
      await Promise.all(jobs)
      // Last, because requests and jobs until here may have counted push errors or called platforms.
      await ingest.stop()
      await client.close()
      await tracer?.stop()
      second?.app.server.closeAllConnections()
      await second?.app.close()
      measuring?.stop()
    },
  }
}

/** Loads the exporter of traces if it is configured. */
async function createTracer(
  { config, storage, logger, version }: HubDeps,
  intervalMs: number,
): Promise<OtlpTracer | null> {
  const settings = toTracingSettings(config)
  if (!settings) return null
  const { createOtlpTracer } = await import('./lib/tracing/otlp-tracer.ts')
  const instance = { 'service.version': version, 'service.instance.id': storage.processName }
  return createOtlpTracer({
    settings: { ...settings, resource: { ...instance, ...settings.resource } },
    ...{ version, intervalMs },
    onError: (error) => logger.error({ err: error }, 'traces could not be exported'),
  })
}
