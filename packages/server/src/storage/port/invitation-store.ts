import type { Invitation } from '@recordhub/protocol'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import type { Role } from '../../domain/auth/caller.ts'

export interface InvitationStore {
  /** Invites somebody; an earlier invitation of the same e-mail holds no more. */
  createInvitation(
    invitation: {
      email: string
      role: Role
      token_hash: string
      invited_by: string
      expires_at: string
    },
    audit: NewAuditEntry,
  ): Promise<Invitation>

  /** Those that were not accepted, the latest first; expired ones too. */
  listInvitations(): Promise<Invitation[]>

  /** The one with this token that can be accepted; null where it was, has expired, or was withdrawn. */
  findInvitation(tokenHash: string, at: string): Promise<Invitation | null>

  /** The one of this e-mail that can be accepted. */
  findInvitationOf(email: string, at: string): Promise<Invitation | null>

  /** Takes an invitation: true for exactly one caller, however many ask at once. */
  acceptInvitation(id: number, at: string): Promise<boolean>

  /** Lets an invitation be taken again, where nothing came of it. */
  reopenInvitation(id: number): Promise<void>

  /** Withdraws one that was not accepted. Null where there is none. */
  withdrawInvitation(
    id: number,
    audit: (invitation: Invitation) => NewAuditEntry,
  ): Promise<Invitation | null>
}
