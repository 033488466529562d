import type { Invitation } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { InvitationStore } from '../../storage/port/invitation-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from '../auth/better-auth.ts'
import { createOperator } from '../auth/create-operator.ts'

type Deps = {
  betterAuth: BetterAuth
  invitations: InvitationStore
  operators: Pick<OperatorStore, 'createOperator'>
  clock: Clock
  publicUrl: string
}

/** Reads the invitation of a link. @throws HubError `invitation_invalid` */
export async function readInvitation(
  { invitations, clock }: Pick<Deps, 'invitations' | 'clock'>,
  token: string,
): Promise<Invitation> {
  const found = await invitations.findInvitation(sha256(token), clock.now().toISOString())
  if (!found) throw new HubError('invitation_invalid')
  return found
}

/**
 * Creates the operator of an invitation. Of several concurrent attempts, one succeeds. After an invalid name or
 * password, the link still works.
 * @throws HubError `invitation_invalid`, `invalid_operator`
 */
export async function acceptInvitation(
  deps: Deps,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<Invitation> {
  const invitation = await readInvitation(deps, token)
  const { id, email, role } = invitation
  await createOperator(deps, { email, name, password, role }, id)
  return invitation
}
