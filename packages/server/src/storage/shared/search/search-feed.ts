/** The position in the feed of changes up to which records are indexed. */
import type { Executor } from '../schema/databases.ts'

const CONSUMER = 'search index'

/** Returns the number of the last indexed change; 0 if there is none. */
export async function readFeedPosition(db: Executor): Promise<number> {
  const row = await db
    .selectFrom('change_feed_positions')
    .select('position')
    .where('consumer', '=', CONSUMER)
    .executeTakeFirst()
  return row?.position ?? 0
}

export async function saveFeedPosition(db: Executor, position: number): Promise<void> {
  await db
    .insertInto('change_feed_positions')
    .values({ consumer: CONSUMER, position })
    .onConflict((conflict) => conflict.column('consumer').doUpdateSet({ position }))
    .execute()
}
