import type { Selectable } from 'kysely'
import type { ApiToken, AuthDatabase, OperatorStore } from '../port/operator-store.ts'
import { insertAudit } from './activity-rows.ts'
import { type Databases, nowText } from './databases.ts'
import type { ApiTokensTable } from './tables.ts'

export function createOperatorStore(
  { reader, writer, clock }: Databases,
  authDatabase: AuthDatabase,
): OperatorStore {
  return {
    authDatabase,

    async hasOperators() {
      const row = await reader.selectFrom('operators').select('id').limit(1).executeTakeFirst()
      return row !== undefined
    },

    async claim(name, seconds) {
      const at = nowText(clock)
      const until = new Date(clock.now().getTime() + seconds * 1000).toISOString()
      const claimed = await writer
        .insertInto('claims')
        .values({ name, until })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({ until }).where('claims.until', '<', at),
        )
        .returning('name')
        .executeTakeFirst()
      return claimed !== undefined
    },

    async releaseClaim(name) {
      await writer.deleteFrom('claims').where('name', '=', name).execute()
    },

    createToken: (token, audit) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        const row = await db
          .insertInto('api_tokens')
          .values({ ...token, created_at: at, revoked_at: null, last_used_at: null })
          .returningAll()
          .executeTakeFirstOrThrow()
        await insertAudit(db, at, audit)
        return toApiToken(row)
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
      if (row.last_used_at?.slice(0, 16) !== at.slice(0, 16)) {
        await writer
          .updateTable('api_tokens')
          .set({ last_used_at: at })
          .where('token_id', '=', row.token_id)
          .execute()
      }
      return toApiToken(row)
    },
  }
}

function toApiToken(row: Selectable<ApiTokensTable>): ApiToken {
  const { token_hash: _, revoked_at: __, ...token } = row
  return token
}
