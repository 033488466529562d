import type { FastifyBaseLogger } from 'fastify'
import { type FoundAlert, isNoChange, judgeAlerts } from '../../domain/alerts/alert.ts'
import { composeAlertMail } from '../../domain/alerts/alert-mail.ts'
import type { AlertStore } from '../../storage/port/alert-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { Mailer } from './mailer.ts'

/** Never more than one mail in this time, over all nodes; what did not go is tried again then. */
const CLAIM = 'alert mail'
const PAUSE_SECONDS = 300
/** What one mail tells of, and names or counts. */
const MOST_AT_ONCE = 10_000

export type MailParts = {
  alerts: AlertStore
  operators: Pick<OperatorStore, 'claim'>
  /** Null where no mail is set up. */
  mailer: Mailer | null
  publicUrl: string
  log: FastifyBaseLogger
}

/** Sends what is to be told in one mail. That it cannot be sent is an alert itself, which the page shows. */
export async function mailAlerts(parts: MailParts, signal: AbortSignal): Promise<void> {
  const { alerts, operators, mailer, publicUrl, log } = parts
  const isDue = async () => {
    const due = await alerts.listUnmailed(MOST_AT_ONCE)
    return due.raised.length + due.over.length > 0 ? due : null
  }
  if (!mailer || !(await isDue())) return noteMailing(parts, null)
  if (!(await operators.claim(CLAIM, PAUSE_SECONDS))) return
  // Another node may have sent it since.
  const due = await isDue()
  if (!due) return
  const sent = await mailer.send(composeAlertMail(due, publicUrl), signal)
  if (signal.aborted) return
  if (sent.outcome === 'failed') {
    log.warn({ reason: sent.reason }, 'an alert mail could not be sent')
    return noteMailing(parts, sent.reason)
  }
  if (sent.refused.length > 0) {
    log.warn({ refused: sent.refused }, 'the mail server refused some recipients of alerts')
  }
  await alerts.recordMailed(due)
  await noteMailing(parts, null)
}

async function noteMailing({ alerts }: MailParts, reason: string | null): Promise<void> {
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
  const changes = judgeAlerts(open, found)
  if (!isNoChange(changes)) await alerts.applyAlertChanges(changes)
}
