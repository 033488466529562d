import type { InboxStore } from '../../port/statistics-store.ts'
import type { Databases } from '../schema/databases.ts'
import { insertAudit } from './activity-rows.ts'

/** An item that was put aside longer ago is open again. */
const MAX_AGE_MS = 365 * 86_400_000

export function createInboxStore({ reader, transact, clock }: Databases): InboxStore {
  return {
    async listMarks() {
      const rows = await reader.selectFrom('inbox_marks').selectAll().orderBy('key').execute()
      return rows.map((row) => ({ ...row }))
    },

    saveMark: (mark, audit) =>
      transact([], async (db, at) => {
        await db
          .insertInto('inbox_marks')
          .values({ ...mark, at })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ ...mark, at }))
          .execute()
        const before = new Date(clock.now().getTime() - MAX_AGE_MS).toISOString()
        await db.deleteFrom('inbox_marks').where('at', '<', before).execute()
        await insertAudit(db, at, audit)
      }),
  }
}
