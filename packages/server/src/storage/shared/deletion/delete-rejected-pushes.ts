/** Deletes rejected pushes, and subtracts them from the quotas of their platforms. */
import { sql } from 'kysely'
import type { Databases, Executor } from '../schema/databases.ts'

/** Deletes a platform's oldest rejected pushes until the others fit into the quota. */
export async function deleteOverQuota(
  db: Executor,
  platformId: number,
  quotaBytes: number,
): Promise<void> {
  const { rejected_bytes } = await db
    .selectFrom('platforms')
    .select('rejected_bytes')
    .where('platform_id', '=', platformId)
    .executeTakeFirstOrThrow()
  let excess = rejected_bytes - quotaBytes
  while (excess > 0) {
    const oldest = await db
      .selectFrom('rejected_pushes')
      .select(['rejected_push_id', 'bytes'])
      .where('platform_id', '=', platformId)
      .orderBy('at')
      .orderBy('rejected_push_id')
      .limit(100)
      .execute()
    const ids = pickOldest(oldest, excess)
    if (ids.length === 0) return
    excess -= await deleteRejectedPushes(db, platformId, ids)
  }
}

/** @returns the number of rejected pushes deleted. */
export async function deleteOldRejectedPushes(
  { acquireLock }: Pick<Databases, 'acquireLock'>,
  db: Executor,
  { before, limit }: { before: string; limit: number },
): Promise<number> {
  await acquireLock(db, 'rejected pushes')
  const old = await db
    .selectFrom('rejected_pushes')
    .select(['rejected_push_id', 'platform_id'])
    .where('at', '<', before)
    .orderBy('at')
    .orderBy('rejected_push_id')
    .limit(limit)
    .execute()
  const byPlatform = Map.groupBy(old, (row) => row.platform_id)
  for (const [platformId, rows] of [...byPlatform].sort(([one], [other]) => one - other)) {
    const ids = rows.map((row) => row.rejected_push_id)
    await deleteRejectedPushes(db, platformId, ids)
  }
  return old.length
}

/** @returns the bytes that the rejected pushes used of the platform's quota. */
export async function deleteRejectedPushes(
  db: Executor,
  platformId: number,
  ids: number[],
): Promise<number> {
  const deleted = await db
    .deleteFrom('rejected_pushes')
    .where('rejected_push_id', 'in', ids)
    .returning('bytes')
    .execute()
  const bytes = deleted.reduce((sum, row) => sum + row.bytes, 0)
  await db
    .updateTable('platforms')
    .set({ rejected_bytes: sql`rejected_bytes - ${bytes}` })
    .where('platform_id', '=', platformId)
    .execute()
  return bytes
}

/** Returns the first rows that have at least the given size together. */
function pickOldest(rows: { rejected_push_id: number; bytes: number }[], size: number): number[] {
  const ids: number[] = []
  let bytes = 0
  for (const row of rows) {
    if (bytes >= size) break
    ids.push(row.rejected_push_id)
    bytes += row.bytes
  }
  return ids
}
