import type { ApiToken } from '@recordhub/protocol'
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely'
import { type Creator, includesRole, type Role } from '../../../domain/auth/caller.ts'
import { HubError } from '../../../errors.ts'
import { isSameMinute } from '../../../lib/time/clock.ts'
import { MAX_TOKENS, type OperatorStore } from '../../port/operator-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { deleteRows, findRow, listRows, updateRows } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'

/** API tokens for programs. */
export function createApiTokens(
  databases: Databases,
): Pick<
  OperatorStore,
  'createToken' | 'listTokens' | 'revokeToken' | 'revokeTokens' | 'findToken'
> {
  const { reader, writer, transact } = databases
  return {
    createToken: (token, audit) =>
      transact(['operators'], async (db, at) => {
        await assertCreator(db, token)
        if (token.operator_id !== null) await assertPlace(db, token.operator_id, token.name)
        const row = await db
          .insertInto('api_tokens')
          .values({ ...token, created_at: at, revoked_at: null, last_used_at: null })
          .returningAll()
          .executeTakeFirstOrThrow()
        const created = toApiToken(row)
        await insertAudit(db, at, audit(created))
        return created
      }),

    async listTokens(operatorId) {
      let select = reader.selectFrom('api_tokens').selectAll().where('revoked_at', 'is', null)
      if (operatorId !== null) select = select.where('operator_id', '=', operatorId)
      return (await select.orderBy('token_id', 'desc').execute()).map(toApiToken)
    },

    revokeToken: (tokenId, operatorId, audit) =>
      transact(['operators'], async (db, at) => {
        let select = db
          .selectFrom('api_tokens')
          .selectAll()
          .where('token_id', '=', tokenId)
          .where('revoked_at', 'is', null)
        if (operatorId !== null) select = select.where('operator_id', '=', operatorId)
        const row = await select.executeTakeFirst()
        if (!row) return null
        await revokeTokens(db, at, (tokens) => tokens('token_id', '=', tokenId))
        const token = toApiToken(row)
        await insertAudit(db, at, audit(token))
        return token
      }),

    revokeTokens: (operatorId, audit) =>
      transact(['operators'], async (db, at) => {
        const revoked = await revokeTokens(db, at, (tokens) =>
          tokens('operator_id', '=', operatorId),
        )
        await insertAudit(db, at, audit(revoked))
        return revoked
      }),

    async findToken(tokenHash, at) {
      const row = await reader
        .selectFrom('api_tokens')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where('revoked_at', 'is', null)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
        .executeTakeFirst()
      if (!row) return null
      if (row.last_used_at === null || !isSameMinute(row.last_used_at, at)) {
        await updateRows(writer, 'api_tokens', { token_id: row.token_id }, { last_used_at: at })
      }
      return { token: toApiToken(row), operator_id: row.operator_id }
    },
  }
}

/**
 * Revokes tokens, then the tokens that they created, and deletes the open invitations of each.
 * @returns the number of revoked tokens.
 */
export async function revokeTokens(
  db: Executor,
  at: string,
  which: (tokens: ExpressionBuilder<Tables, 'api_tokens'>) => Expression<SqlBool>,
): Promise<number> {
  const rows = await db
    .updateTable('api_tokens')
    .set({ revoked_at: at })
    .where('revoked_at', 'is', null)
    .where(which)
    .returning('token_id')
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map((row) => row.token_id)
  await deleteRows(db, 'operator_invitations', { created_by_token_id: ids, accepted_at: null })
  const created = await revokeTokens(db, at, (tokens) => tokens('created_by_token_id', 'in', ids))
  return ids.length + created
}

/**
 * Checks again that the creator may give a role, since a change of an operator or token ends only the access that exists
 * at that time. The caller holds the lock `operators`.
 * @throws HubError `forbidden`.
 */
export async function assertCreator(
  db: Executor,
  { role, operator_id, created_by_token_id }: Creator & { role: Role },
): Promise<void> {
  if (operator_id !== null) {
    const owner = await findRow(db, 'operators', { id: operator_id, disabled_at: null }, ['role'])
    if (!owner || !includesRole(owner.role, role)) throw new HubError('forbidden', { role })
  }
  if (created_by_token_id === null) return
  const match = { token_id: created_by_token_id, revoked_at: null }
  const token = await findRow(db, 'api_tokens', match, ['role'])
  if (!token || !includesRole(token.role, role)) throw new HubError('forbidden', { role })
}

/** @throws HubError `token_name_taken`, `too_many_tokens`. */
async function assertPlace(db: Executor, operatorId: string, name: string): Promise<void> {
  const match = { operator_id: operatorId, revoked_at: null }
  const tokens = await listRows(db, 'api_tokens', match, ['name'])
  if (tokens.some((token) => token.name === name)) throw new HubError('token_name_taken', { name })
  if (tokens.length >= MAX_TOKENS) throw new HubError('too_many_tokens', { max: MAX_TOKENS })
}

function toApiToken(row: Selectable<Tables['api_tokens']>): ApiToken {
  const { token_id, name, role, scope, hint, created_by, created_at, expires_at, last_used_at } =
    row
  return {
    id: token_id,
    ...{ name, role, scope, hint, created_by, created_at, expires_at, last_used_at },
  }
}
