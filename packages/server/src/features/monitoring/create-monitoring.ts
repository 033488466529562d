/** Monitoring for operators: dashboard, activity, audit log, statistics and alerts. */

import { toMailSettings } from '../../config/feature-settings.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { aboutRoutes } from './about-routes.ts'
import { activityRoutes } from './activity-routes.ts'
import { alertEventRoutes } from './alert-event-routes.ts'
import { alertRoutes } from './alert-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import type { Broadcaster } from './broadcast.ts'
import { dashboardRoutes, eventRoutes } from './dashboard-routes.ts'
import { createAlertEventSignal } from './follow-alert-events.ts'
import { createMailer, createSendMail, type MailTimeouts } from './mail-alerts.ts'
import { createReadSnapshot, type ReadInbox } from './read-snapshot.ts'
import { statisticsRoutes } from './statistics-routes.ts'
import { createAlertWatch } from './watch-alerts.ts'

export function createMonitoring(
  deps: FeatureDeps & {
    mailTimeouts: MailTimeouts
    /** Null if broadcasting is off. */
    broadcaster: Broadcaster | null
    /** The pause between two evaluations of the alerts. */
    alertIntervalMs: number
    heartbeatMs: number
    /** How often requests that wait for alerts look for new events. */
    alertEventIntervalMs: number
    stopping: AbortSignal
    checkReady: () => Promise<void>
    readInbox: ReadInbox
  },
) {
  const mail = toMailSettings(deps.config)
  const mailer = mail && createMailer(mail, deps.mailTimeouts)
  const readSnapshot = createReadSnapshot(deps)
  const signal = createAlertEventSignal({ ...deps, intervalMs: deps.alertEventIntervalMs })
  const watchAlerts = createAlertWatch({ ...deps, mailer })

  return {
    routes: [
      ...alertRoutes({ ...deps, mailer }),
      ...alertEventRoutes({ ...deps, signal }),
      ...activityRoutes(deps),
      ...auditRoutes(deps),
      ...aboutRoutes(deps),
      ...dashboardRoutes({ readSnapshot }),
      ...statisticsRoutes(deps),
      ...eventRoutes(deps),
    ],
    /** Null if no mail server is configured. */
    sendMail: mailer && createSendMail(mailer),
    runJobs: (signal: AbortSignal): Promise<void> =>
      runPeriodically(
        deps.alertIntervalMs,
        signal,
        () => watchAlerts(signal),
        (error) => deps.reportJobFailure('alerts', error),
      ),
  }
}
