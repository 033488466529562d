import type { Invitation } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import type { Role } from '../../domain/auth/caller.ts'
import { composeInvitation } from '../../domain/auth/invitation-mail.ts'
import { isEmail } from '../../domain/auth/operator.ts'
import { createKey, INVITATION_PREFIX } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import { type Clock, daysFrom } from '../../lib/time/clock.ts'
import type { InvitationStore } from '../../storage/port/invitation-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'

/** Sends a mail; words for what went wrong, null where nothing did. */
export type SendMail = (mail: {
  to: readonly string[]
  subject: string
  text: string
}) => Promise<string | null>

export type Invited = {
  invitation: Invitation
  /** Shown this once: of its token only the hash is stored. */
  link: string
  mailed: boolean
  mail_problem: string | null
}

/**
 * Invites somebody by a link that holds once. Its token stands behind the #, which browsers keep to
 * themselves: no proxy logs it, no other site is told it.
 * @param request.site where operators reach the hub, such as https://hub.example.org
 * @throws HubError `invalid_operator` where the e-mail is none, or an operator has it.
 */
export async function inviteOperator(
  parts: {
    invitations: InvitationStore
    operators: OperatorStore
    clock: Clock
    /** Null where no mail is set up. */
    sendMail: SendMail | null
  },
  request: { email: string; role: Role; days: number; site: string },
  requester: Requester,
): Promise<Invited> {
  const email = request.email.trim().toLowerCase()
  const { role, days, site } = request
  if (!isEmail(email)) {
    throw new HubError('invalid_operator', { reason: 'the e-mail address is not one' })
  }
  if ((await parts.operators.listOperators()).some((one) => one.email === email)) {
    throw new HubError('invalid_operator', { reason: `there is one with the e-mail ${email}` })
  }
  const { key, hash } = createKey(INVITATION_PREFIX)
  const expires_at = daysFrom(parts.clock.now(), days)
  const { actor } = requester
  const invitation = await parts.invitations.createInvitation(
    { email, role, token_hash: hash, invited_by: actor, expires_at },
    { ...requester, action: 'operator.invite', target: email, details: { role, expires_at } },
  )
  const link = `${site}/invitation#token=${key}`
  const mail = composeInvitation({ ...invitation, link })
  const problem = parts.sendMail ? await parts.sendMail({ to: [email], ...mail }) : null
  const mailed = parts.sendMail !== null && problem === null
  return { invitation, link, mailed, mail_problem: problem }
}
