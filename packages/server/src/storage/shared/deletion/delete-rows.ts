/** Deletes history and rejected pushes, whose platforms have quotas, and schedules the purge of the files. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Databases, Executor } from '../schema/databases.ts'
import { DELETED_OVER_QUOTA } from '../schema/pull-tables.ts'
import { deleteRows, updateRows } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'

/**
 * Deletes a platform's oldest rejected pushes until the others fit into the quota, but no pending one that was held, and so
 * acknowledged.
 * @returns whether they fit.
 */
export async function deleteOverQuota(
  db: Executor,
  platformId: number,
  quotaBytes: number,
): Promise<boolean> {
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
      .where(MAY_BE_DELETED)
      .orderBy('at')
      .orderBy('rejected_push_id')
      .limit(100)
      .execute()
    if (oldest.length === 0) return false
    excess -= await deleteRejectedPushes(db, platformId, pickOldest(oldest, excess))
  }
  return true
}

const MAY_BE_DELETED = sql<SqlBool>`${sql.raw(DELETED_OVER_QUOTA)}`

/**
 * Deletes old rejected pushes, but no pending one that was held while its module has holds, which do not end by time.
 * @returns the number of rejected pushes deleted.
 */
export async function deleteOldRejectedPushes(
  { acquireLock }: Pick<Databases, 'acquireLock'>,
  db: Executor,
  { before, limit }: { before: string; limit: number },
): Promise<number> {
  await acquireLock(db, 'rejected pushes')
  const old = await db
    .selectFrom('rejected_pushes as r')
    .select(['rejected_push_id', 'platform_id'])
    .where('at', '<', before)
    .where((eb) => {
      const holds = eb
        .selectFrom('modules as m')
        .innerJoin('holds as h', 'h.module_id', 'm.module_id')
        .select('m.module_id')
        .whereRef('m.platform_id', '=', 'r.platform_id')
        .whereRef('m.record_type', '=', 'r.record_type')
      return eb.or([MAY_BE_DELETED, eb.not(eb.exists(holds))])
    })
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
  const rejected_bytes = sql`rejected_bytes - ${bytes}`
  await updateRows(db, 'platforms', { platform_id: platformId }, { rejected_bytes })
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
  await deleteRows(db, 'record_history', { platform_id, record_id: ids, change_seq: numbers })
  return numbers.length
}

/**
 * Deleted rows stay in the database's files until a purge. The transaction that deletes them schedules the purge, so
 * that a process that starts after a crash runs it.
 * @param deletion the last deletion of this transaction.
 */
export async function schedulePurge(
  db: Executor,
  { platform_id, change_seq }: { platform_id: number; change_seq: number },
): Promise<void> {
  await db
    .insertInto('pending_purges')
    .values({ platform_id, change_seq })
    .onConflict((conflict) => conflict.column('platform_id').doUpdateSet({ change_seq }))
    .execute()
}

/** Purges deleted rows from the files if a purge is pending. @returns whether one was. */
export type RunPendingPurge = () => Promise<boolean>

/** Concurrent calls run one after another. After a deletion during a purge, another purge is pending. */
export function createPendingPurgeRunner(
  { reader, writer }: Databases,
  purge: () => Promise<void>,
): RunPendingPurge {
  let last: Promise<unknown> = Promise.resolve()

  async function run(): Promise<boolean> {
    const pending = await reader.selectFrom('pending_purges').selectAll().execute()
    if (pending.length === 0) return false
    await purge()
    for (const { platform_id, change_seq } of pending) {
      await deleteRows(writer, 'pending_purges', { platform_id, change_seq })
    }
    return true
  }

  return () => {
    const current = last.then(run)
    last = current.catch(() => undefined)
    return current
  }
}

export type RowsByKey<Table extends keyof Tables & string> = {
  table: Table
  key: keyof Tables[Table] & string
  orderBy: keyof Tables[Table] & string
}

/**
 * Deletes rows of a table that meet a condition: those with the first `limit` values of `key`, in the order of a column.
 * @returns the number of rows deleted.
 */
export async function deleteSome<Table extends keyof Tables & string>(
  db: Executor,
  rows: RowsByKey<Table> & { where: RawBuilder<unknown> },
  limit: number,
): Promise<number> {
  const [table, key, orderBy] = [sql.table(rows.table), sql.ref(rows.key), sql.ref(rows.orderBy)]
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${table} WHERE ${rows.where} AND ${key} IN (
      SELECT ${key} FROM ${table} WHERE ${rows.where} ORDER BY ${orderBy} LIMIT ${limit})
  `.execute(db)
  return Number(numAffectedRows)
}
