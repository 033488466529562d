import { sql } from 'kysely'
import type { Executor } from '../schema/databases.ts'
import { findRow, updateRows } from '../schema/rows.ts'

/** The name by which tombstones identify the records of a platform `p`. */
export const FIRST_NAME = sql<string>`coalesce(p.first_name, p.platform_name)`

/**
 * The first name of a platform that is registered: that of the last platform with its name, if that differed from its
 * name. Null if it is its name. `saveFirstName` saves it for the next registration of the name.
 */
export async function findFirstName(
  db: Executor,
  { platform_name, at }: { platform_name: string; at: string },
): Promise<string | null> {
  const known = await findRow(db, 'first_names', { platform_name }, ['first_name'])
  const first_name = known?.first_name ?? platform_name
  const other = await db
    .selectFrom('platforms as p')
    .select('p.platform_id')
    .where(FIRST_NAME, '=', first_name)
    .where('p.removed_at', 'is', null)
    .executeTakeFirst()
  // Another platform that has the first name, or had it before it was renamed: its erased records are not those of this one.
  if (other) return `${platform_name} (${at})`
  return known ? first_name : null
}

/** Saves the first name for platforms that are registered later under this name. Null for one that is its name. */
export async function saveFirstName(
  db: Executor,
  { platform_name, first_name }: { platform_name: string; first_name: string | null },
): Promise<void> {
  if (first_name === null) return
  await db
    .insertInto('first_names')
    .values({ platform_name, first_name })
    .onConflict((conflict) => conflict.column('platform_name').doUpdateSet({ first_name }))
    .execute()
}

/** Renames a platform in every row that names it, except for the logs of what happened before. */
export async function renamePlatform(
  db: Executor,
  change: { platform_id: number; platform_name: string; before: string; at: string },
): Promise<void> {
  const { platform_id, platform_name, before, at } = change
  const { first_name } = await db
    .updateTable('platforms')
    .set({
      platform_name,
      first_name: sql<string>`coalesce(first_name, platform_name)`,
      recovered_at: at,
      updated_at: at,
    })
    .where('platform_id', '=', platform_id)
    .returning('first_name')
    .executeTakeFirstOrThrow()
  await saveFirstName(db, { platform_name, first_name })
  await db
    .updateTable('record_deletions')
    .set({ platform_name })
    .where((eb) => eb.and({ platform_name: before, platform_id }))
    .execute()
  await updateRows(db, 'removals', { platform_id }, { platform_name })
  await updateRows(db, 'alerts', { platform_id }, { platform_name })
}
