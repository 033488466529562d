import { diffAlerts, type FoundAlert, isEmpty } from '../../domain/alerts/alert.ts'
import { composeAlertMail } from '../../domain/alerts/alert-mail.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { Mailer } from './mailer.ts'

/** All nodes together send at most one mail in this time. A failed mail is retried afterwards. */
const LEASE = 'alert mail'
const PAUSE_SECONDS = 300
/** The maximum number of alerts in one mail. */
const MAX_ALERTS = 10_000

export type AlertMailDeps = Pick<FeatureDeps, 'alerts' | 'leases' | 'processName' | 'log'> & {
  config: Pick<FeatureDeps['config'], 'HUB_PUBLIC_URL'>
  /** Null if no mail server is configured. */
  mailer: Mailer | null
}

/** Sends one mail about all new and resolved alerts. If it fails, it raises an alert on the page. */
export async function mailAlerts(deps: AlertMailDeps, signal: AbortSignal): Promise<void> {
  const { alerts, leases, processName, mailer, config, log } = deps
  const findUnmailed = async () => {
    const unmailed = await alerts.listUnmailed(MAX_ALERTS)
    return unmailed.raised.length + unmailed.resolved.length > 0 ? unmailed : null
  }
  if (!mailer || !(await findUnmailed())) return updateMailAlert(deps, null)
  if (!(await leases.acquire(LEASE, processName, PAUSE_SECONDS))) return
  // Another node may have sent the mail in the meantime.
  const unmailed = await findUnmailed()
  if (!unmailed) return
  const sent = await mailer.send(composeAlertMail(unmailed, config.HUB_PUBLIC_URL), signal)
  if (signal.aborted) return
  if (sent.outcome === 'failed') {
    log.warn({ reason: sent.reason }, 'an alert mail could not be sent')
    return updateMailAlert(deps, sent.reason)
  }
  if (sent.rejected.length > 0) {
    log.warn({ rejected: sent.rejected }, 'the mail server rejected some recipients of alerts')
  }
  await alerts.recordMailed(unmailed)
  await updateMailAlert(deps, null)
}

/** Raises the alert that mails fail, or resolves it. @param reason null if the mail was sent. */
async function updateMailAlert({ alerts }: AlertMailDeps, reason: string | null): Promise<void> {
  const all = await alerts.listOpenAlerts()
  const open = all.filter(({ kind }) => kind === 'mail_failing')
  const found: FoundAlert[] =
    reason === null
      ? []
      : [
          {
            kind: 'mail_failing',
            subject: 'mail',
            platform: null,
            message: `An alert mail could not be sent: ${reason}`,
          },
        ]
  const changes = diffAlerts(open, found)
  if (!isEmpty(changes)) await alerts.applyAlertChanges(changes)
}
