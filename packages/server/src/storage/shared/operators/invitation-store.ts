import type { Invitation } from '@recordhub/protocol'
import { type Selectable, sql } from 'kysely'
import type { InvitationStore } from '../../port/operator-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { deleteRows, updateRows } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'
import { assertCreator } from './api-tokens.ts'

export function createInvitationStore(databases: Databases): InvitationStore {
  const { reader, writer, transact } = databases
  const open = () =>
    reader.selectFrom('operator_invitations').selectAll().where('accepted_at', 'is', null)

  async function find(column: 'token_hash' | 'email', value: string, at: string) {
    const row = await open()
      .where(column, '=', value)
      .where('expires_at', '>', at)
      .executeTakeFirst()
    return row ? toInvitation(row) : null
  }

  return {
    createInvitation: (invitation, audit) =>
      transact(['operators'], async (db, at) => {
        // Only admins invite, with whatever role.
        await assertCreator(db, { ...invitation, role: 'admin' })
        await deleteRows(db, 'operator_invitations', { email: invitation.email, accepted_at: null })
        const row = await db
          .insertInto('operator_invitations')
          .values({ ...invitation, created_at: at, accepted_at: null })
          .returningAll()
          .executeTakeFirstOrThrow()
        await insertAudit(db, at, audit)
        return toInvitation(row)
      }),

    listInvitations: async () =>
      (await open().orderBy('invitation_id', 'desc').execute()).map(toInvitation),

    findInvitation: (tokenHash, at) => find('token_hash', tokenHash, at),

    findInvitationOf: (email, at) => find('email', email, at),

    acceptInvitation: (id, at) => acceptInvitation(writer, id, at),

    withdrawInvitation: (id, audit) =>
      transact([], async (db, at) => {
        const row = await db
          .deleteFrom('operator_invitations')
          .where('invitation_id', '=', id)
          .where('accepted_at', 'is', null)
          .returningAll()
          .executeTakeFirst()
        if (!row) return null
        const invitation = toInvitation(row)
        await insertAudit(db, at, audit(invitation))
        return invitation
      }),
  }
}

function toInvitation(row: Selectable<Tables['operator_invitations']>): Invitation {
  const { invitation_id, email, role, invited_by, created_at, expires_at } = row
  return { id: invitation_id, email, role, invited_by, created_at, expires_at }
}

/** Accepts an invitation. @returns false if it is not open. */
export async function acceptInvitation(db: Executor, id: number, at: string): Promise<boolean> {
  const open = { invitation_id: id, accepted_at: null, expires_at: sql`> ${at}` }
  return (await updateRows(db, 'operator_invitations', open, { accepted_at: at })) > 0
}

/** Deletes the open invitations of an operator. */
export async function withdrawInvitationsOf(db: Executor, operatorId: string): Promise<void> {
  await deleteRows(db, 'operator_invitations', { operator_id: operatorId, accepted_at: null })
}

/** Reverts the acceptance of an invitation. */
export async function reopenInvitation(db: Executor, id: number): Promise<void> {
  await updateRows(db, 'operator_invitations', { invitation_id: id }, { accepted_at: null })
}
