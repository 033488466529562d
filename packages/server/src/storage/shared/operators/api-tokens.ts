import type { ApiToken } from '@recordhub/protocol'
import type { Selectable } from 'kysely'
import { includesRole, type Role } from '../../../domain/auth/caller.ts'
import { HubError } from '../../../errors.ts'
import { isSameMinute } from '../../../lib/time/clock.ts'
import type { OperatorStore } from '../../port/operator-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'

/** API tokens for programs. */
export function createApiTokens({
  reader,
  writer,
  clock,
  acquireLock,
}: Databases): Pick<OperatorStore, 'createToken' | 'listTokens' | 'revokeToken' | 'findToken'> {
  return {
    createToken: (token, audit) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        if (token.operator_id !== null) {
          await acquireLock(db, 'operators')
          await assertRole(db, token.operator_id, token.role)
        }
        const row = await db
          .insertInto('api_tokens')
          .values({ ...token, created_at: at, revoked_at: null, last_used_at: null })
          .returningAll()
          .executeTakeFirstOrThrow()
        await insertAudit(db, at, audit)
        return toApiToken(row)
      }),

    async listTokens(operatorId) {
      let select = reader.selectFrom('api_tokens').selectAll().where('revoked_at', 'is', null)
      if (operatorId !== null) select = select.where('operator_id', '=', operatorId)
      return (await select.orderBy('token_id', 'desc').execute()).map(toApiToken)
    },

    revokeToken: (tokenId, operatorId, audit) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        let update = db
          .updateTable('api_tokens')
          .set({ revoked_at: at })
          .where('token_id', '=', tokenId)
          .where('revoked_at', 'is', null)
        if (operatorId !== null) update = update.where('operator_id', '=', operatorId)
        const row = await update.returningAll().executeTakeFirst()
        if (!row) return null
        const token = toApiToken(row)
        await insertAudit(db, at, audit(token))
        return token
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
        await writer
          .updateTable('api_tokens')
          .set({ last_used_at: at })
          .where('token_id', '=', row.token_id)
          .execute()
      }
      return { token: toApiToken(row), operator_id: row.operator_id }
    },
  }
}

/**
 * Checks the owner's role again, since a change of role or status revokes only the tokens that exist at that time.
 * @throws HubError `forbidden`.
 */
async function assertRole(db: Executor, operatorId: string, role: Role): Promise<void> {
  const owner = await db
    .selectFrom('operators')
    .select('role')
    .where('id', '=', operatorId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!owner || !includesRole(owner.role, role)) throw new HubError('forbidden', { role })
}

function toApiToken(row: Selectable<Tables['api_tokens']>): ApiToken {
  const { token_id, token_hash: _, revoked_at: __, operator_id: ___, ...token } = row
  return { id: token_id, ...token }
}
