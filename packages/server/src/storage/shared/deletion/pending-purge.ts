/**
 * Deleted rows stay in the database's files until a purge. The transaction that deletes them schedules the purge, so
 * that a process that starts after a crash runs it.
 */
import type { Databases, Executor } from '../schema/databases.ts'

/** @param deletion the last deletion of this transaction. */
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
      await writer
        .deleteFrom('pending_purges')
        .where('platform_id', '=', platform_id)
        .where('change_seq', '=', change_seq)
        .execute()
    }
    return true
  }

  return () => {
    const current = last.then(run)
    last = current.catch(() => undefined)
    return current
  }
}
