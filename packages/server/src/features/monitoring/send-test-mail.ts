import type { Requester } from '../../domain/activity/activity.ts'
import { composeTestMail } from '../../domain/alerts/alert-mail.ts'
import { HubError } from '../../errors.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { Mailer } from './mailer.ts'

/**
 * Sends a mail to where alerts go.
 * @returns words for whoever asked.
 * @throws HubError `mail_not_set_up`, or `mail_failed` with the mail server's words.
 */
export async function sendTestMail(
  parts: { mailer: Mailer | null; publicUrl: string; activity: Pick<ActivityStore, 'appendAudit'> },
  requester: Requester,
): Promise<string> {
  const { mailer, publicUrl, activity } = parts
  if (!mailer) throw new HubError('mail_not_set_up')
  await activity.appendAudit({ ...requester, action: 'alert.test_mail', target: null })
  const sent = await mailer.send(composeTestMail(requester.actor, publicUrl))
  if (sent.outcome === 'failed') throw new HubError('mail_failed', { reason: sent.reason })
  const { refused } = sent
  return refused.length === 0
    ? 'The mail server took the test mail. Look whether it arrives.'
    : `The mail server took the test mail, but not for ${refused.join(', ')}.`
}
