/** How far the indexes that lists go by have followed the changes of records. */
import type { Executor } from '../schema/databases.ts'

const FEED = 'records'

/** The number of the last change that they hold; 0 where they hold none. */
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
