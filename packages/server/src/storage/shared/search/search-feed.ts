/** The positions in the feed of changes up to which records are indexed. */
import { TOKENS_VERSION } from '../../../domain/search/search-tokens.ts'
import type { Executor } from '../schema/databases.ts'

/** Followers of the feed. An index with other tokens is another follower, which begins with the first change. */
const CONSUMERS = { fields: 'field index', texts: `text index ${TOKENS_VERSION}` } as const
export type SearchFeed = keyof typeof CONSUMERS

/** Returns the number of the last indexed change; 0 if there is none. */
export async function readFeedPosition(db: Executor, feed: SearchFeed): Promise<number> {
  const row = await db
    .selectFrom('change_feed_positions')
    .select('position')
    .where('consumer', '=', CONSUMERS[feed])
    .executeTakeFirst()
  return row?.position ?? 0
}

export async function saveFeedPosition(
  db: Executor,
  feed: SearchFeed,
  position: number,
): Promise<void> {
  await db
    .insertInto('change_feed_positions')
    .values({ consumer: CONSUMERS[feed], position })
    .onConflict((conflict) => conflict.column('consumer').doUpdateSet({ position }))
    .execute()
}
