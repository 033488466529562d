import { setTimeout as sleep } from 'node:timers/promises'
import { diffAlerts, type FoundAlert, isEmpty } from '../../domain/alerts/alert.ts'
import { composeAlertMail, type Mail, mergeRecipients } from '../../domain/alerts/alert-mail.ts'
import { toSingleLine } from '../../lib/text/code-points.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** All nodes together send at most one mail in this time. A failed mail is retried afterwards. */
const LEASE = 'alert mail'
const PAUSE_SECONDS = 300
/** The maximum number of alerts in one mail. */
const MAX_ALERTS = 10_000

export type AlertMailDeps = Pick<
  FeatureDeps,
  'alerts' | 'operators' | 'leases' | 'processName' | 'log'
> & {
  config: Pick<FeatureDeps['config'], 'HUB_PUBLIC_URL' | 'HUB_ALERT_TO'>
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
  const to = await listRecipients(deps)
  if (to.length === 0) return updateMailAlert(deps, null)
  if (!(await leases.acquire(LEASE, processName, PAUSE_SECONDS))) return
  // Another node may have sent the mail in the meantime.
  const unmailed = await findUnmailed()
  if (!unmailed) return
  const mail = composeAlertMail(unmailed, config.HUB_PUBLIC_URL)
  const sent = await mailer.send({ ...mail, to }, signal)
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

/** The recipients of the settings, and the operators who get the mails about alerts. */
export async function listRecipients({
  config,
  operators,
}: Pick<AlertMailDeps, 'config' | 'operators'>): Promise<string[]> {
  return mergeRecipients(config.HUB_ALERT_TO, await operators.listAlertRecipients())
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

type MailSettings = {
  /** `smtp://user:password@host:port`, or `smtps://…`. */
  url: string
  from: string
}

/** Timeouts in milliseconds: for the connection, for silence of the mail server, and for the whole mail. */
export type MailTimeouts = { connect: number; silence: number; total: number }
export const MAIL_TIMEOUTS: MailTimeouts = { connect: 10_000, silence: 20_000, total: 60_000 }

type MailOutcome =
  /** `rejected`: the recipients that the server rejected while it accepted others. */
  | { outcome: 'sent'; rejected: string[] }
  /** `reason`: the error message of the server, if it sent one. */
  | { outcome: 'failed'; reason: string }

type AddressedMail = Mail & { to: readonly string[] }
export type Mailer = {
  send: (mail: AddressedMail, signal?: AbortSignal) => Promise<MailOutcome>
}

const MAX_REASON_LENGTH = 300

/**
 * Sends mails over SMTP, each over a connection of its own: mails are rare. The package for it is loaded with the first
 * mail.
 */
export function createMailer(settings: MailSettings, timeouts: MailTimeouts): Mailer {
  const options = toTransportOptions(settings.url)
  const password = options.auth?.pass ?? ''
  const toReason = (text: string) => {
    const line = toSingleLine(text, MAX_REASON_LENGTH)
    return password === '' ? line : line.replaceAll(password, '…')
  }
  return {
    async send({ subject, text, to }, signal) {
      const { createTransport } = await import('nodemailer')
      const { default: SMTPTransport } = await import('nodemailer/lib/smtp-transport')
      const transport = createTransport(
        new SMTPTransport({
          ...options,
          connectionTimeout: timeouts.connect,
          greetingTimeout: timeouts.connect,
          dnsTimeout: timeouts.connect,
          socketTimeout: timeouts.silence,
          disableFileAccess: true,
          disableUrlAccess: true,
        }),
      )
      const done = new AbortController()
      const sending = transport.sendMail({
        from: { name: 'Recordhub', address: settings.from },
        // The recipients do not learn of each other.
        ...(to.length === 1 ? { to: [...to] } : { bcc: [...to] }),
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      // It may fail after the timeout, when nothing awaits it.
      sending.catch(() => undefined)
      const signals = signal ? [done.signal, signal] : [done.signal]
      const timeout = sleep(timeouts.total, undefined, { signal: AbortSignal.any(signals) })
      try {
        const sent = await Promise.race([sending, timeout])
        if (!sent) return { outcome: 'failed', reason: 'the mail server did not respond in time' }
        return { outcome: 'sent', rejected: sent.rejected.map(toReason) }
      } catch (error) {
        return {
          outcome: 'failed',
          reason: toReason(String(error instanceof Error ? error.message : error)),
        }
      } finally {
        timeout.catch(() => undefined)
        done.abort()
      }
    },
  }
}

/**
 * Credentials are sent only over TLS. A connection to the same machine is not encrypted, because a local mail server
 * rarely has a trusted certificate.
 */
function toTransportOptions(address: string) {
  const { protocol, hostname, port, username, password } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'smtps:'
  const isLocal = host === 'localhost' || host === '::1' || /^127\./.test(host)
  const auth = username
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : undefined
  return {
    host,
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    ignoreTLS: isLocal,
    requireTLS: !isLocal && auth !== undefined,
    ...(auth ? { auth } : {}),
  }
}

/** Sends a mail to one recipient. Resolves to the error message, or null if it was sent. */
export function createSendMail(mailer: Mailer) {
  return async (mail: AddressedMail): Promise<string | null> => {
    const sent = await mailer.send(mail)
    if (sent.outcome === 'failed') return sent.reason
    return sent.rejected.length === 0 ? null : 'the mail server rejected the address'
  }
}
