/** Monitoring for operators: dashboard, activity, audit log, statistics and alerts. */

import type { Inbox } from '@recordhub/protocol'
import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { RetentionDays } from '../../domain/activity/retention.ts'
import type { Job, JobFailure, ReportJobFailure } from '../../domain/alerts/job-failures.ts'
import { registerRoutes } from '../../lib/net/register-routes.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { aboutRoutes } from './about-routes.ts'
import { activityRoutes } from './activity-routes.ts'
import { alertEventRoutes } from './alert-event-routes.ts'
import { alertRoutes } from './alert-routes.ts'
import { auditRoutes, type RequesterOf } from './audit-routes.ts'
import type { Broadcaster } from './broadcast.ts'
import { dashboardRoutes } from './dashboard-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { createAlertEventSignal } from './follow-alert-events.ts'
import { createMailer, createSendMail, type MailSettings, type MailTimeouts } from './mailer.ts'
import { createReadSnapshot } from './read-snapshot.ts'
import { statisticsRoutes } from './statistics-routes.ts'
import { createAlertWatch } from './watch-alerts.ts'

export function createMonitoring(deps: {
  storage: Storage
  clock: Clock
  dayOf: (at: Date) => string
  log: FastifyBaseLogger
  version: string
  publicUrl: string
  timeZone: string
  retentionDays: RetentionDays
  activityEntries: number
  /** Null if no mail server is configured. */
  mail: MailSettings | null
  mailTimeouts: MailTimeouts
  /** Null if broadcasting is off. */
  broadcaster: Broadcaster | null
  /** The pause between two evaluations of the alerts. */
  alertIntervalMs: number
  heartbeatMs: number
  /** How often requests that wait for alerts look for new events. */
  alertEventIntervalMs: number
  stopping: AbortSignal
  reportJobFailure: ReportJobFailure
  jobFailures: ReadonlyMap<Job, JobFailure>
  nextRun: () => Date | null
  readInbox: () => Promise<Inbox>
  checkReady: () => Promise<void>
  requesterOf: RequesterOf
}) {
  const { storage, broadcaster, nextRun } = deps
  const mailer = deps.mail && createMailer(deps.mail, deps.mailTimeouts)
  const broadcasting = broadcaster !== null
  const readSnapshot = createReadSnapshot({ ...storage, ...deps, nextRun, broadcasting })
  const signal = createAlertEventSignal({
    ...{ alertEvents: storage.alertEvents, stopping: deps.stopping },
    intervalMs: deps.alertEventIntervalMs,
  })
  const watchAlerts = createAlertWatch({ ...storage, ...deps, mailer })

  const routes: FastifyPluginAsync = async (app) => {
    await registerRoutes(app, alertRoutes({ ...storage, ...deps, mailer }))
    await registerRoutes(app, alertEventRoutes({ ...storage, ...deps, signal }))
    await registerRoutes(app, activityRoutes(storage))
    await registerRoutes(app, auditRoutes({ ...storage, ...deps }))
    await registerRoutes(app, aboutRoutes({ ...storage, ...deps, broadcasting }))
    await registerRoutes(app, dashboardRoutes({ readSnapshot }))
    await registerRoutes(app, statisticsRoutes({ ...storage, ...deps }))
    await registerRoutes(app, eventRoutes(deps))
  }

  return {
    routes,
    /** Null if no mail server is configured. */
    sendMail: mailer && createSendMail(mailer),
    /** Evaluates the alerts periodically until the signal. */
    runJobs: (signal: AbortSignal): Promise<void> =>
      runPeriodically(
        deps.alertIntervalMs,
        signal,
        () => watchAlerts(signal),
        (error) => deps.reportJobFailure('alerts', error),
      ),
  }
}
