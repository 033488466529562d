import type { Invitation } from '@recordhub/protocol'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import type { Creator, Role } from '../../domain/auth/caller.ts'

export interface InvitationStore {
  /**
   * Saves an invitation. It replaces an earlier one for the same e-mail address.
   * @throws HubError `forbidden` if the operator who invites is no longer an active admin, or the token was revoked.
   */
  createInvitation(
    invitation: {
      email: string
      role: Role
      token_hash: string
      invited_by: string
      expires_at: string
    } & Creator,
    audit: NewAuditEntry,
  ): Promise<Invitation>

  /** Returns invitations that were not accepted, newest first, including expired ones. */
  listInvitations(): Promise<Invitation[]>

  /** Returns the open invitation with a token; null if it was accepted, has expired or was withdrawn. */
  findInvitation(tokenHash: string, at: string): Promise<Invitation | null>

  /** Returns the open invitation for an e-mail address. */
  findInvitationOf(email: string, at: string): Promise<Invitation | null>

  /** Accepts an invitation. Returns true for only one of several concurrent calls. */
  acceptInvitation(id: number, at: string): Promise<boolean>

  /** Deletes an invitation that was not accepted. Returns null if there is none. */
  withdrawInvitation(
    id: number,
    audit: (invitation: Invitation) => NewAuditEntry,
  ): Promise<Invitation | null>
}
