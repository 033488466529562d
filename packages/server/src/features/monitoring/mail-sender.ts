import type { Mail } from '../../domain/alerts/alert-mail.ts'
import type { Mailer } from './mailer.ts'

/** Sends a mail and says what went wrong, null for nothing; also that one of its recipients was refused. */
export function createMailSender(mailer: Mailer) {
  return async (mail: Mail): Promise<string | null> => {
    const sent = await mailer.send(mail)
    if (sent.outcome === 'failed') return sent.reason
    return sent.refused.length === 0 ? null : 'the mail server did not take the address'
  }
}
