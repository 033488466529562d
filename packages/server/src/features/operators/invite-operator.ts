/** Inviting an operator by a link, and accepting the invitation. */
import type { Invitation } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import type { Creator, Role } from '../../domain/auth/caller.ts'
import { createKey, INVITATION_PREFIX } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { toSingleLine } from '../../lib/text/code-points.ts'
import { isEmail } from '../../lib/text/email.ts'
import { daysFrom, formatTime } from '../../lib/time/clock.ts'
import type { BetterAuth } from '../auth/better-auth.ts'
import { createOperator } from '../auth/create-operator.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** Sends a mail. Resolves to the error message, or null if it was sent. */
type SendMail = (mail: {
  to: readonly string[]
  subject: string
  text: string
}) => Promise<string | null>

export type InviteDeps = Pick<FeatureDeps, 'invitations' | 'operators' | 'clock' | 'publicUrl'> & {
  /** Null if no mail server is configured. */
  sendMail: SendMail | null
}

type Invited = {
  invitation: Invitation
  /** Returned only here: the hub stores only the hash of its token. */
  link: string
  mailed: boolean
  mail_problem: string | null
}

const MAX_NAME_LENGTH = 200
const NO_PUBLIC_URL = 'mails with links require HUB_PUBLIC_URL'

/**
 * Invites an operator by a link that works once. Its token follows the #, which browsers do not send to servers: no
 * proxy logs it and no other site receives it.
 * @param request.site the URL at which operators reach the hub, such as https://hub.example.org
 * @throws HubError `invalid_operator` if the e-mail address is not valid or an operator has it, `forbidden` if the
 *   caller has lost the role or the token by now.
 */
export async function inviteOperator(
  deps: InviteDeps,
  request: { email: string; role: Role; days: number; site: string; invitedBy: Creator },
  requester: Requester,
): Promise<Invited> {
  const { invitations, operators, clock, sendMail, publicUrl } = deps
  const email = request.email.trim().toLowerCase()
  const { role, days, site, invitedBy } = request
  if (!isEmail(email)) {
    throw new HubError('invalid_operator', { reason: 'the e-mail address is not valid' })
  }
  if ((await operators.listOperators()).some((one) => one.email === email)) {
    throw new HubError('invalid_operator', { reason: `the e-mail address ${email} is taken` })
  }
  const { key, hash } = createKey(INVITATION_PREFIX)
  const expires_at = daysFrom(clock.now(), days)
  const invitation = await invitations.createInvitation(
    { email, role, token_hash: hash, invited_by: requester.actor, expires_at, ...invitedBy },
    { ...requester, action: 'operator.invite', target: email, details: { role, expires_at } },
  )
  const link = `${site}/invitation#token=${key}`
  if (!sendMail) return { invitation, link, mailed: false, mail_problem: null }
  // The address of a request may be one that the client made up.
  if (publicUrl === '') return { invitation, link, mailed: false, mail_problem: NO_PUBLIC_URL }
  const mail_problem = await sendMail({ to: [email], ...composeInvitation(invitation, link) })
  return { invitation, link, mailed: mail_problem === null, mail_problem }
}

function composeInvitation(
  { invited_by, role, expires_at }: Invitation,
  link: string,
): { subject: string; text: string } {
  const text = [
    `${toSingleLine(invited_by, MAX_NAME_LENGTH)} invites you to Recordhub with the role ${role}.`,
    `Open this link to choose a name and a password. It works once, until ${formatTime(expires_at)}:`,
    link,
    'If you did not expect this mail, ignore it.',
  ].join('\n\n')
  return { subject: 'Recordhub: invitation', text: `${text}\n` }
}

/** Reads the invitation of a link. @throws HubError `invitation_invalid` */
export async function readInvitation(
  { invitations, clock }: Pick<FeatureDeps, 'invitations' | 'clock'>,
  token: string,
): Promise<Invitation> {
  const invitation = await invitations.findInvitation(sha256(token), clock.now().toISOString())
  if (!invitation) throw new HubError('invitation_invalid')
  return invitation
}

/**
 * Creates the operator of an invitation. Of several concurrent attempts, one succeeds. After an invalid name or
 * password, the link still works.
 * @throws HubError `invitation_invalid`, `invalid_operator`
 */
export async function acceptInvitation(
  deps: Omit<InviteDeps, 'sendMail'> & { betterAuth: BetterAuth },
  { token, name, password }: { token: string; name: string; password: string },
): Promise<Invitation> {
  const invitation = await readInvitation(deps, token)
  const { id, email, role } = invitation
  await createOperator(deps, { email, name, password, role }, id)
  return invitation
}
