/** Forgets rejected pushes, and gives the quota of their platforms back. */
import { sql } from 'kysely'
import type { Databases, Executor } from '../schema/databases.ts'

/** Those that are over the platform's quota, the oldest first. */
export async function dropOldest(
  db: Executor,
  platformId: number,
  quotaBytes: number,
): Promise<void> {
  const { rejected_bytes } = await db
    .selectFrom('platforms')
    .select('rejected_bytes')
    .where('platform_id', '=', platformId)
    .executeTakeFirstOrThrow()
  let over = rejected_bytes - quotaBytes
  while (over > 0) {
    const oldest = await db
      .selectFrom('rejected_pushes')
      .select(['rejected_push_id', 'bytes'])
      .where('platform_id', '=', platformId)
      .orderBy('at')
      .orderBy('rejected_push_id')
      .limit(100)
      .execute()
    const ids = takeUntil(oldest, over)
    if (ids.length === 0) return
    over -= await dropRejected(db, platformId, ids)
  }
}

/** @returns how many were dropped. */
export async function dropOldRejectedPushes(
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
  const ofPlatforms = Map.groupBy(old, (row) => row.platform_id)
  for (const [platformId, rows] of [...ofPlatforms].sort(([one], [other]) => one - other)) {
    const ids = rows.map((row) => row.rejected_push_id)
    await dropRejected(db, platformId, ids)
  }
  return old.length
}

/** @returns how much of the platform's quota they took. */
export async function dropRejected(
  db: Executor,
  platformId: number,
  ids: number[],
): Promise<number> {
  const dropped = await db
    .deleteFrom('rejected_pushes')
    .where('rejected_push_id', 'in', ids)
    .returning('bytes')
    .execute()
  const bytes = dropped.reduce((sum, row) => sum + row.bytes, 0)
  await db
    .updateTable('platforms')
    .set({ rejected_bytes: sql`rejected_bytes - ${bytes}` })
    .where('platform_id', '=', platformId)
    .execute()
  return bytes
}

function takeUntil(rows: { rejected_push_id: number; bytes: number }[], wanted: number): number[] {
  const ids: number[] = []
  let bytes = 0
  for (const row of rows) {
    if (bytes >= wanted) break
    ids.push(row.rejected_push_id)
    bytes += row.bytes
  }
  return ids
}
