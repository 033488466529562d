import type { Invitation } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { InvitationStore } from '../../storage/port/invitation-store.ts'
import type { Auth } from '../auth/auth.ts'
import { createOperator, expectAcceptable } from '../auth/create-operator.ts'

type Parts = { auth: Auth; invitations: InvitationStore; clock: Clock; publicUrl: string }

/** The invitation of a link. @throws HubError `invitation_invalid` */
export async function readInvitation(
  { invitations, clock }: Pick<Parts, 'invitations' | 'clock'>,
  token: string,
): Promise<Invitation> {
  const found = await invitations.findInvitation(sha256(token), clock.now().toISOString())
  if (!found) throw new HubError('invitation_invalid')
  return found
}

/**
 * Makes an operator of whoever holds the link. Of several who try at once, one succeeds; who is not
 * accepted can try again.
 * @throws HubError `invitation_invalid`, `invalid_operator`
 */
export async function acceptInvitation(
  parts: Parts,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<Invitation> {
  const invitation = await readInvitation(parts, token)
  const { id, email, role } = invitation
  const operator = { email, name, password, role }
  expectAcceptable(operator, parts.publicUrl)
  if (!(await parts.invitations.acceptInvitation(id, parts.clock.now().toISOString()))) {
    throw new HubError('invitation_invalid')
  }
  try {
    await createOperator(parts, operator)
  } catch (error) {
    await parts.invitations.reopenInvitation(id)
    throw error
  }
  return invitation
}
