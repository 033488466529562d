/** Sends mails over SMTP. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import SMTPTransport from 'nodemailer/lib/smtp-transport'
import type { Mail } from '../../domain/alerts/alert-mail.ts'
import { toSingleLine } from '../../lib/text/single-line.ts'

export type MailSettings = {
  /** `smtp://user:password@host:port`, or `smtps://…`. */
  url: string
  from: string
  to: readonly string[]
}

/** How long it waits for a mail server, in milliseconds: to connect, in silence, and altogether. */
export type MailTimeouts = { connect: number; silence: number; total: number }
export const MAIL_TIMEOUTS: MailTimeouts = { connect: 10_000, silence: 20_000, total: 60_000 }

type MailOutcome =
  /** `refused`: recipients that the server did not take, where it took others. */
  | { outcome: 'sent'; refused: string[] }
  /** `reason`: the server's own words where it had some. */
  | { outcome: 'failed'; reason: string }

export type Mailer = { send: (mail: Mail, signal?: AbortSignal) => Promise<MailOutcome> }

const LONGEST_REASON = 300

/** Every mail goes on a connection of its own: they are few. */
export function createMailer(settings: MailSettings, timeouts: MailTimeouts): Mailer {
  const options = toTransportOptions(settings.url)
  const password = options.auth?.pass ?? ''
  const words = (text: string) => {
    const line = toSingleLine(text, LONGEST_REASON)
    return password === '' ? line : line.replaceAll(password, '…')
  }
  return {
    async send({ subject, text, to = settings.to }, signal) {
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
      const over = new AbortController()
      const sending = transport.sendMail({
        from: { name: 'Recordhub', address: settings.from },
        to: [...to],
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      // It may end after somebody has stopped waiting for it.
      sending.catch(() => undefined)
      const signals = signal ? [over.signal, signal] : [over.signal]
      const late = sleep(timeouts.total, undefined, { signal: AbortSignal.any(signals) })
      try {
        const sent = await Promise.race([sending, late])
        if (!sent) return { outcome: 'failed', reason: 'the mail server takes too long' }
        return { outcome: 'sent', refused: sent.rejected.map((one) => words(one)) }
      } catch (error) {
        return {
          outcome: 'failed',
          reason: words(String(error instanceof Error ? error.message : error)),
        }
      } finally {
        late.catch(() => undefined)
        over.abort()
      }
    },
  }
}

/**
 * A name and password go over TLS only. To the same machine nothing is encrypted: its mail server rarely
 * has a certificate that anybody trusts.
 */
function toTransportOptions(address: string) {
  const { protocol, hostname, port, username, password } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'smtps:'
  const isHere = host === 'localhost' || host === '::1' || /^127\./.test(host)
  const auth = username
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : undefined
  return {
    host,
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    ignoreTLS: isHere,
    requireTLS: !isHere && auth !== undefined,
    ...(auth ? { auth } : {}),
  }
}
