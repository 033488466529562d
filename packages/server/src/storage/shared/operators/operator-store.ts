import type { AuthDatabase, OperatorStore } from '../../port/operator-store.ts'
import type { Databases } from '../schema/databases.ts'
import { createApiTokens } from './api-tokens.ts'
import { createOperatorRows } from './operator-rows.ts'
import { createOperatorSessions } from './operator-sessions.ts'

export function createOperatorStore(
  databases: Databases,
  authDatabase: AuthDatabase,
): OperatorStore {
  return {
    authDatabase,
    ...createOperatorRows(databases),
    ...createOperatorSessions(databases),
    ...createApiTokens(databases),

    async hasOperators() {
      const row = await databases.reader
        .selectFrom('operators')
        .select('id')
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
