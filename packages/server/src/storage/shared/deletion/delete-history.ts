import type { Executor } from '../schema/databases.ts'

/**
 * Deletes history entries of records of one platform, at most `limit`.
 * @returns the number of entries deleted.
 */
export async function deleteHistory(
  db: Executor,
  { platform_id, ids, limit }: { platform_id: number; ids: number[]; limit: number },
): Promise<number> {
  const entries = await db
    .selectFrom('record_history')
    .select('change_seq')
    .where('platform_id', '=', platform_id)
    .where('record_id', 'in', ids)
    .limit(limit)
    .execute()
  if (entries.length === 0) return 0
  const numbers = entries.map((entry) => entry.change_seq)
  await db
    .deleteFrom('record_history')
    .where('platform_id', '=', platform_id)
    .where('record_id', 'in', ids)
    .where('change_seq', 'in', numbers)
    .execute()
  return numbers.length
}
