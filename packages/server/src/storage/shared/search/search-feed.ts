/** The position of the search index in the feed of record changes. */
import type { Executor } from '../schema/databases.ts'

const CONSUMER = 'search index'

/** The number of the last change that the index contains; 0 if it contains none. */
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
