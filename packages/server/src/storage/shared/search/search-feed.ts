/** The position in the feed of changes up to which records are indexed. */
import type { Executor } from '../schema/databases.ts'

const FEED = 'records'

/** Returns the number of the last indexed change; 0 if there is none. */
export async function readFeedPosition(db: Executor): Promise<number> {
  const row = await db
    .selectFrom('search_feed')
    .select('position')
    .where('name', '=', FEED)
    .executeTakeFirst()
  return row?.position ?? 0
}

export async function saveFeedPosition(db: Executor, position: number): Promise<void> {
  await db
    .insertInto('search_feed')
    .values({ name: FEED, position })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ position }))
    .execute()
}
