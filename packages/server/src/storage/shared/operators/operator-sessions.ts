import { sql } from 'kysely'
import type { OperatorStore } from '../../port/operator-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import { type Databases, nowText } from '../schema/databases.ts'

/** The sessions of operators, which Better Auth creates. */
export function createOperatorSessions({
  reader,
  writer,
  clock,
}: Databases): Pick<
  OperatorStore,
  'markSessionStrong' | 'listSessions' | 'deleteEndedSessions' | 'endSession' | 'endSessions'
> {
  return {
    async markSessionStrong(sessionId) {
      const strong = sql<boolean>`true`
      await writer
        .updateTable('operator_sessions')
        .set({ strong })
        .where('id', '=', sessionId)
        .execute()
    },

    async listSessions(operatorId) {
      const rows = await reader
        .selectFrom('operator_sessions')
        .select(['id', 'created_at', 'updated_at', 'expires_at', 'ip_address', 'user_agent'])
        .where('operator_id', '=', operatorId)
        .where('expires_at', '>', nowText(clock))
        .orderBy('updated_at', 'desc')
        .orderBy('id')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        created_at: new Date(row.created_at).toISOString(),
        last_seen_at: new Date(row.updated_at).toISOString(),
        expires_at: new Date(row.expires_at).toISOString(),
        address: row.ip_address || null,
        user_agent: row.user_agent || null,
      }))
    },

    async deleteEndedSessions({ at, seenBefore }) {
      await writer
        .deleteFrom('operator_sessions')
        .where((eb) => eb.or([eb('expires_at', '<=', at), eb('updated_at', '<', seenBefore)]))
        .execute()
    },

    endSession: (operatorId, sessionId, audit) =>
      writer.transaction().execute(async (db) => {
        const ended = await db
          .deleteFrom('operator_sessions')
          .where('operator_id', '=', operatorId)
          .where('id', '=', sessionId)
          .returning('id')
          .executeTakeFirst()
        if (!ended) return false
        await insertAudit(db, nowText(clock), audit)
        return true
      }),

    endSessions: (operatorId, exceptSessionId, audit) =>
      writer.transaction().execute(async (db) => {
        let ending = db.deleteFrom('operator_sessions').where('operator_id', '=', operatorId)
        if (exceptSessionId !== null) ending = ending.where('id', '<>', exceptSessionId)
        const ended = await ending.returning('id').execute()
        await insertAudit(db, nowText(clock), audit)
        return ended.length
      }),
  }
}
