import type { SettingStore, StoredSetting } from '../../port/operator-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'

export function createSettingStore({ reader, transact }: Databases): SettingStore {
  return {
    listSettings: () => listSettings(reader),

    changeSettings: (values, actor, log) =>
      transact(['settings'], async (db, at) => {
        const stored = await listSettings(db)
        const storedValue = (name: string) => stored.find((one) => one.name === name)?.value ?? null
        const changes = Object.entries(values)
          .map(([name, after]) => ({ name, before: storedValue(name), after }))
          .filter(({ before, after }) => before !== after)
        if (changes.length === 0) return stored
        for (const { name, after: value } of changes) {
          if (value === null) {
            await db.deleteFrom('stored_settings').where('name', '=', name).execute()
            continue
          }
          const row = { value, changed_at: at, changed_by: actor }
          await db
            .insertInto('stored_settings')
            .values({ name, ...row })
            .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
            .execute()
        }
        await insertLog(db, at, log(changes))
        return listSettings(db)
      }),
  }
}

export async function listSettings(db: Executor): Promise<StoredSetting[]> {
  const rows = await db.selectFrom('stored_settings').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ ...row }))
}
