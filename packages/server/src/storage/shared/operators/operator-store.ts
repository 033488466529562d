import type { AuthDatabase, OperatorStore } from '../../port/operator-store.ts'
import { type Databases, nowText } from '../schema/databases.ts'
import { createApiTokens } from './api-tokens.ts'
import { createOperatorRows } from './operator-rows.ts'
import { createOperatorSessions } from './operator-sessions.ts'

export function createOperatorStore(
  databases: Databases,
  authDatabase: AuthDatabase,
): OperatorStore {
  const { reader, writer, clock } = databases
  return {
    authDatabase,
    ...createOperatorRows(databases),
    ...createOperatorSessions(databases),
    ...createApiTokens(databases),

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
  }
}
