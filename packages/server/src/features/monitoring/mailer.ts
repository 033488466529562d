/** Sends mails over SMTP. The package for it is loaded with the first mail. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mail } from '../../domain/alerts/alert-mail.ts'
import { toSingleLine } from '../../lib/text/single-line.ts'

export type MailSettings = {
  /** `smtp://user:password@host:port`, or `smtps://…`. */
  url: string
  from: string
  to: readonly string[]
}

/** Timeouts in milliseconds: for the connection, for silence of the mail server, and for the whole mail. */
export type MailTimeouts = { connect: number; silence: number; total: number }
export const MAIL_TIMEOUTS: MailTimeouts = { connect: 10_000, silence: 20_000, total: 60_000 }

type MailOutcome =
  /** `rejected`: the recipients that the server rejected while it accepted others. */
  | { outcome: 'sent'; rejected: string[] }
  /** `reason`: the error message of the server, if it sent one. */
  | { outcome: 'failed'; reason: string }

export type Mailer = { send: (mail: Mail, signal?: AbortSignal) => Promise<MailOutcome> }

const MAX_REASON_LENGTH = 300

/** Sends each mail over a connection of its own: mails are rare. */
export function createMailer(settings: MailSettings, timeouts: MailTimeouts): Mailer {
  const options = toTransportOptions(settings.url)
  const password = options.auth?.pass ?? ''
  const toReason = (text: string) => {
    const line = toSingleLine(text, MAX_REASON_LENGTH)
    return password === '' ? line : line.replaceAll(password, '…')
  }
  return {
    async send({ subject, text, to = settings.to }, signal) {
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
        to: [...to],
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
  return async (mail: Mail): Promise<string | null> => {
    const sent = await mailer.send(mail)
    if (sent.outcome === 'failed') return sent.reason
    return sent.rejected.length === 0 ? null : 'the mail server rejected the address'
  }
}
