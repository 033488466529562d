import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { authSecretOf } from './app/auth-secret.ts'
import { type BackgroundIntervals, INTERVALS } from './app/background-intervals.ts'
import { createBootstrapOperator } from './app/bootstrap-operator.ts'
import {
  toOidcSettings,
  toPlatformClientSettings,
  toRetentionSettings,
  toSessionLimits,
} from './app/to-settings.ts'
import type { Config } from './config.ts'
import { nameOfCaller } from './domain/auth/caller.ts'
import { findTokenCaller } from './features/auth/api-token.ts'
import { createAuth } from './features/auth/auth.ts'
import { createFindOperator } from './features/auth/find-operator.ts'
import { createLoginThrottle } from './features/auth/login-throttle.ts'
import { reauthenticate } from './features/auth/reauthenticate.ts'
import { operatorOf } from './features/auth/requester.ts'
import { createSecondFactorRule } from './features/auth/second-factor-rule.ts'
import { setupLink } from './features/auth/setup-link.ts'
import { createProviderReach } from './features/auth/sso-provider.ts'
import { createTrustedDevices } from './features/auth/trusted-device.ts'
import { downloadRoutes } from './features/guide/download-routes.ts'
import { guideRoutes } from './features/guide/routes.ts'
import { createPlatformAuthenticator } from './features/ingest/authenticate-platform.ts'
import { createPushErrorCounter } from './features/ingest/count-push-errors.ts'
import { createIngest } from './features/ingest/ingest.ts'
import { pushErrorRoutes } from './features/ingest/push-error-routes.ts'
import { pushRoutes } from './features/ingest/push-routes.ts'
import { createReceivePush } from './features/ingest/receive-push.ts'
import { rejectedPushRoutes } from './features/ingest/rejected-push-routes.ts'
import { createRejectedPushSaver } from './features/ingest/save-rejected-push.ts'
import { createDeletionWorker } from './features/maintenance/deletion-worker.ts'
import { enforceRetention } from './features/maintenance/enforce-retention.ts'
import { removalRoutes } from './features/maintenance/removal-routes.ts'
import { aboutRoutes } from './features/monitoring/about-routes.ts'
import { activityRoutes } from './features/monitoring/activity-routes.ts'
import { alertRoutes } from './features/monitoring/alert-routes.ts'
import { auditRoutes } from './features/monitoring/audit-routes.ts'
import { createBroadcaster } from './features/monitoring/broadcast.ts'
import { dashboardRoutes } from './features/monitoring/dashboard-routes.ts'
import { eventRoutes } from './features/monitoring/event-routes.ts'
import { createMailSender } from './features/monitoring/mail-sender.ts'
import { createMailer, MAIL_TIMEOUTS, type MailTimeouts } from './features/monitoring/mailer.ts'
import { publishingChanges } from './features/monitoring/publish-changes.ts'
import { createReadSnapshot } from './features/monitoring/read-snapshot.ts'
import { statisticsRoutes } from './features/monitoring/statistics-routes.ts'
import { createAlertWatch } from './features/monitoring/watch-alerts.ts'
import { operatorRoutes } from './features/operators/routes.ts'
import { createCheckerHub } from './features/platforms/checker-hub.ts'
import { conformanceRoutes } from './features/platforms/conformance-routes.ts'
import { connectionRoutes } from './features/platforms/connection-routes.ts'
import { manifestRoutes } from './features/platforms/manifest-routes.ts'
import { createRefreshInPassing } from './features/platforms/refresh-manifest.ts'
import { platformRoutes } from './features/platforms/routes.ts'
import { syncSqlViews } from './features/platforms/sync-sql-views.ts'
import { createCancelPull } from './features/pulls/cancel-pull.ts'
import { missingReviewRoutes } from './features/pulls/missing-review-routes.ts'
import { createRequestPull, createScheduledPull } from './features/pulls/request-pull.ts'
import { pullRoutes } from './features/pulls/routes.ts'
import { createPullRunner } from './features/pulls/run-pull.ts'
import { scheduleRoutes } from './features/pulls/schedule-routes.ts'
import { changeRoutes } from './features/records/change-routes.ts'
import { erasureRoutes } from './features/records/erasure-routes.ts'
import { exportRoutes } from './features/records/export-routes.ts'
import { historyRoutes } from './features/records/history-routes.ts'
import { listRecords } from './features/records/list-records.ts'
import { recordListRoutes } from './features/records/list-routes.ts'
import { viewRoutes } from './features/records/view-routes.ts'
import { startIndexing } from './features/search/index-records.ts'
import { searchRoutes } from './features/search/routes.ts'
import { searchRoute } from './features/search/search-route.ts'
import { apiReferenceRoutes } from './http/api-reference.ts'
import { createCsrfTokens } from './http/authorize.ts'
import { healthRoutes } from './http/health.ts'
import { guardPages } from './http/page-headers.ts'
import { pageRoutes } from './http/page-routes.ts'
import { limitRate } from './http/rate-limit.ts'
import { createReadyCheck } from './http/ready-check.ts'
import { createHttpServer } from './http/server.ts'
import { createSemaphore } from './lib/concurrency/semaphore.ts'
import { PASSWORD_COST, type PasswordCost } from './lib/crypto/password-hash.ts'
import { createSecretBox } from './lib/crypto/secret-box.ts'
import { type Clock, createDayOf, type MonotonicClock, systemClock } from './lib/time/clock.ts'
import { runPeriodically, sleep } from './lib/time/run-periodically.ts'
import { createPlatformClient } from './platform-client/platform-client.ts'
import { DEFAULT_TIMEOUTS, type PlatformTimeouts } from './platform-client/request/timeouts.ts'
import type { Storage } from './storage/port/storage.ts'

/** A pull's process renews its lease every 5 s; one that does not holds up the next pull no longer. */
const LEASE_SECONDS = 20
/** How long requests under way may take when the hub stops. */
const GRACE_MS = 5000
/** Platforms that are asked by searches at one time, whoever searches. */
const SEARCHES_AT_A_TIME = 16

export type HubDeps = {
  config: Config
  storage: Storage
  /** Seals keys and signs sessions. */
  secret: string
  clock?: Clock
  monotonicClock?: MonotonicClock
  logger: FastifyBaseLogger
  version: string
  /** Overrides some of `DEFAULT_TIMEOUTS`. */
  timeouts?: Partial<PlatformTimeouts>
  mailTimeouts?: MailTimeouts
  /** How it waits until a pull's time is over, where that is not by the clock. */
  waitForLimit?: typeof sleep
  /** Overrides some of `INTERVALS`. */
  intervals?: Partial<BackgroundIntervals>
  /** Overrides `PASSWORD_COST`. */
  passwordCost?: PasswordCost
}

export type Hub = {
  http: FastifyInstance
  /** Listens and starts the schedule. `setupLink` is null when an operator exists. */
  start: () => Promise<{ address: string; setupLink: string | null }>
  /** Stops background work and listening. Does not close the storage. */
  stop: () => Promise<void>
}

export async function createHub(deps: HubDeps): Promise<Hub> {
  const { config, clock = systemClock, monotonicClock = performance, logger } = deps
  const intervals = { ...INTERVALS, ...deps.intervals }
  const broadcaster = config.HUB_BROADCAST
    ? createBroadcaster(deps.storage.news, intervals.broadcast)
    : null
  const storage = broadcaster ? publishingChanges(deps.storage, broadcaster.note) : deps.storage
  const secrets = createSecretBox(deps.secret)
  const dayOf = createDayOf(config.HUB_TIME_ZONE)
  const timeouts = {
    ...DEFAULT_TIMEOUTS,
    firstByteSeconds: config.HUB_PULL_TIMEOUT_SECONDS,
    ...deps.timeouts,
  }
  const client = createPlatformClient(toPlatformClientSettings(config, timeouts))
  const session = toSessionLimits(config)
  const authSettings = {
    ...storage,
    clock,
    session,
    secret: authSecretOf(secrets),
    passwordCost: deps.passwordCost ?? PASSWORD_COST,
    publicUrl: config.HUB_PUBLIC_URL,
    complain: (message: string, causes: unknown[]) =>
      logger.warn({ causes: causes.map(String) }, message),
  }
  const auth = createAuth({ ...authSettings, oidc: null })
  const oidc = toOidcSettings(config)
  // One of its own: signing in by password must not wait for a provider that does not answer.
  const reachProvider = oidc && createProviderReach({ ...authSettings, oidc })
  const isBehindTls = config.HUB_PUBLIC_URL.startsWith('https:')
  const devices = createTrustedDevices(secrets.deriveKey('known devices'), isBehindTls)
  const limits = createLoginThrottle({
    ...{ ...storage, devices, clock, key: secrets.deriveKey('guesses') },
    complain: (error) => logger.error({ err: error }, 'a guess could not be noted'),
  })
  const isRequired = config.HUB_REQUIRE_SECOND_FACTOR
  const rule = createSecondFactorRule({ ...storage, isRequired, hasProvider: oidc !== null })
  const csrfTokenOf = createCsrfTokens(secrets.deriveKey('csrf tokens'))
  const stopping = new AbortController()
  let isStarted = false
  let stopIndexing: () => Promise<void> = async () => undefined

  const ingest = createIngest({ records: storage.records, clock, dayOf })
  const keeper = createRejectedPushSaver({ ...storage, secrets, clock, dayOf })
  const receivers = createPlatformAuthenticator({ platforms: storage.platforms, clock })
  const receivePush = createReceivePush({ ingest, keeper, receivers, clock })
  const counter = createPushErrorCounter({ pushErrors: storage.pushErrors, clock })
  const lease = { owner: storage.processName, seconds: LEASE_SECONDS }
  const refreshManifest = createRefreshInPassing({
    ...storage,
    client,
    secrets,
    clock,
    complain: (error, platform_id) =>
      logger.error({ err: error, platform_id }, 'a manifest could not be refreshed'),
  })
  const runner = createPullRunner({
    ...{ client, ingest, keeper, secrets, clock, lease, refreshManifest },
    records: storage.records,
    pulls: storage.pulls,
    platforms: storage.platforms,
    timeoutSeconds: config.HUB_PULL_TIMEOUT_SECONDS,
    waitForLimit: deps.waitForLimit ?? sleep,
    firstByteSeconds: timeouts.firstByteSeconds,
    concurrency: config.HUB_PULL_CONCURRENCY,
    missing: storage.missing,
    missingFusePercent: config.HUB_MISSING_FUSE,
    missingGraceSeconds: config.HUB_MISSING_GRACE_SECONDS,
    log: logger,
  })
  const remover = createDeletionWorker({ removals: storage.removals, log: logger })
  const dispatcher = storage.pullDispatcher
  const pattern = config.HUB_PULL_SCHEDULE === 'off' ? null : config.HUB_PULL_SCHEDULE
  const requestPull = createRequestPull({ pulls: storage.pulls, dispatcher, lease })
  const cancelPull = createCancelPull({ pulls: storage.pulls, runner })
  const mailer = config.HUB_SMTP_URL
    ? createMailer(
        { url: config.HUB_SMTP_URL, from: config.HUB_ALERT_FROM, to: config.HUB_ALERT_TO },
        deps.mailTimeouts ?? MAIL_TIMEOUTS,
      )
    : null
  const mailing = { mailer, publicUrl: config.HUB_PUBLIC_URL }
  const watchAlerts = createAlertWatch({ ...storage, ...mailing, clock, log: logger })
  const sqlViews = syncSqlViews({ ...storage, log: logger })
  const scheduledPull = createScheduledPull({ ...storage, requestPull })

  const findOperator = createFindOperator({ ...storage, auth, clock, session, rule })

  const { app, authorization } = await createHttpServer(
    {
      logger,
      bodyLimit: config.HUB_MAX_BODY_BYTES,
      trustProxy: config.HUB_TRUST_PROXY,
      version: deps.version,
      isBehindTls,
      publicUrl: config.HUB_PUBLIC_URL,
      refusal: () => (stopping.signal.aborted ? 'shutting_down' : isStarted ? null : 'starting'),
    },
    {
      findProgram: (token) => findTokenCaller({ operators: storage.operators, clock }, token),
      findOperator,
    },
    csrfTokenOf,
  )
  const { callerOf } = authorization
  const { HUB_RATE_LIMIT: ratePerSecond } = config
  await app.register(pushRoutes({ receivers, receivePush, counter, ratePerSecond, monotonicClock }))
  const checkReady = createReadyCheck(() => storage.checkWritable())
  await app.register(healthRoutes({ checkReady }))
  const requesterOf = (request: FastifyRequest) => ({
    actor: nameOfCaller(callerOf(request)),
    address: request.ip,
  })
  await app.register(async (web) => {
    await guardPages(web, { isBehindTls })
    limitRate(web, { callerOf, perSecond: config.HUB_API_RATE_LIMIT, monotonicClock })
    const { HUB_PUBLIC_URL: publicUrl } = config
    const sendMail = mailer && createMailSender(mailer)
    await web.register(
      operatorRoutes({
        ...{ ...storage, auth, reachProvider, oidc, secrets, clock, publicUrl, sendMail },
        ...{ limits, devices, rule, callerOf, requesterOf, csrfTokenOf },
      }),
    )
    await web.register(platformRoutes({ ...storage, client, secrets, clock, requesterOf }))
    await web.register(
      connectionRoutes({
        ...storage,
        client,
        secrets,
        clock,
        requesterOf,
        reauthenticate: (request, password) =>
          reauthenticate(
            { auth, operators: storage.operators, limits, clock },
            request,
            operatorOf(callerOf, request),
            password,
          ),
      }),
    )
    const { version } = deps
    const hub = createCheckerHub(client, clock, version)
    await web.register(conformanceRoutes({ ...storage, hub, secrets }))
    await web.register(manifestRoutes({ ...storage, client, secrets, clock, requesterOf }))
    await web.register(removalRoutes({ ...storage, remover, clock, requesterOf }))
    await web.register(recordListRoutes(storage))
    await web.register(viewRoutes({ ...storage, callerOf }))
    await web.register(searchRoutes({ ...storage, clock, requesterOf }))
    await web.register(
      searchRoute({
        ...storage,
        client,
        secrets,
        turns: createSemaphore(SEARCHES_AT_A_TIME),
        searchRecords: (q, limit) => listRecords(storage, { parameters: { q }, limit }),
        stopping: stopping.signal,
        complain: (error, platform_id) =>
          logger.error({ err: error, platform_id }, 'a search met a defect'),
      }),
    )
    await web.register(exportRoutes({ ...storage, clock, requesterOf }))
    await web.register(historyRoutes(storage))
    await web.register(changeRoutes(storage))
    await web.register(erasureRoutes({ ...storage, requesterOf }))
    await web.register(pullRoutes({ ...storage, requestPull, cancelPull, callerOf }))
    await web.register(scheduleRoutes({ ...storage, dispatcher, pattern, requesterOf }))
    await web.register(missingReviewRoutes({ missing: storage.missing, clock, requesterOf }))
    await web.register(alertRoutes({ ...storage, ...mailing, requesterOf }))
    await web.register(activityRoutes(storage))
    await web.register(auditRoutes({ ...storage, clock, requesterOf }))
    await web.register(
      aboutRoutes({
        ...storage,
        ...toRetentionSettings(config),
        ...{ clock, checkReady, version: deps.version, timeZone: config.HUB_TIME_ZONE },
        broadcasting: broadcaster !== null,
      }),
    )
    await web.register(pushErrorRoutes(storage))
    await web.register(rejectedPushRoutes({ ...storage, ingest, clock, requesterOf }))
    const { nextRun } = dispatcher
    const broadcasting = broadcaster !== null
    const readSnapshot = createReadSnapshot({ ...storage, clock, dayOf, nextRun, broadcasting })
    await web.register(dashboardRoutes({ readSnapshot }))
    await web.register(statisticsRoutes({ ...storage, clock }))
    await web.register(
      eventRoutes({
        broadcaster,
        isSignedIn: async (request) => (await findOperator(request, { keepAlive: false })) !== null,
        heartbeatMs: intervals.heartbeat,
      }),
    )
    await web.register(
      guideRoutes({
        ...storage,
        publicUrl: config.HUB_PUBLIC_URL,
        platformPath: config.HUB_PLATFORM_PATH,
        tunnelHeader: config.HUB_TUNNEL_HEADER,
        version: deps.version,
      }),
    )
    await web.register(downloadRoutes())
    await web.register(apiReferenceRoutes)
    const { hasOperators } = storage.operators
    await web.register(pageRoutes({ callerOf, csrfTokenOf, hasOperators }))
  })

  const logFailure = (message: string) => (error: unknown) => logger.error({ err: error }, message)
  const onUnsavedCounts = logFailure('push errors could not be saved')
  let chores: Promise<void>[] = []
  function startChores(): void {
    const { signal } = stopping
    const retention = { ...storage, clock, log: logger, session, ...toRetentionSettings(config) }
    const lookAfterAlerts = () => watchAlerts(signal)
    const dropOld = () => enforceRetention(retention, signal)
    const onAlerts = logFailure('alerts could not be looked after')
    const onRetention = logFailure('old rows could not be dropped')
    chores = [
      runPeriodically(intervals.alerts, signal, lookAfterAlerts, onAlerts),
      runPeriodically(intervals.retention, signal, dropOld, onRetention),
      runPeriodically(intervals.pushErrors, signal, counter.flush, onUnsavedCounts),
    ]
  }

  return {
    http: app,
    async start() {
      await createBootstrapOperator({ auth, operators: storage.operators }, config)
      const onSchedule = () =>
        scheduledPull().catch((error: unknown) => {
          logger.error({ err: error }, 'a scheduled pull could not be queued')
        })
      // Bound first: a hub whose port is taken must not touch what the others share.
      const address = await listen(app, config)
      await dispatcher.start({ runPull: runner.run, onSchedule }, pattern)
      stopIndexing = startIndexing({ searchIndex: storage.searchIndex, log: logger })
      startChores()
      sqlViews.start()
      remover.start()
      isStarted = true
      const publicUrl = config.HUB_PUBLIC_URL || address
      const hasOperators = await storage.operators.hasOperators()
      return { address, setupLink: hasOperators ? null : setupLink(secrets, publicUrl) }
    },
    async stop() {
      stopping.abort()
      broadcaster?.stop()
      await dispatcher.stop()
      await runner.stop()
      await stopIndexing()
      await sqlViews.stop()
      await remover.stop()
      // Whoever is half-way gets his answer; who sends nothing more must not hold up the end.
      const grace = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
      await app.close()
      clearTimeout(grace)
      await limits.settle()
      await Promise.all(chores)
      await counter.flush().catch(onUnsavedCounts)
      await client.close()
    },
  }
}

async function listen(app: FastifyInstance, { PORT, HOST }: Config): Promise<string> {
  try {
    return await app.listen({ port: PORT, host: HOST })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new Error(`PORT: ${PORT} is taken by another program (${HOST}).`, { cause: error })
  }
}
