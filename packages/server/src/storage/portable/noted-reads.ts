import type { PullTaskResult } from '../port/pull-store.ts'
import type { Executor } from './databases.ts'
import { countUnmarked } from './missing-store.ts'

/** Notes a whole read; a record that it did not bring must not be judged by it. */
export async function noteRead(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
  read: NonNullable<PullTaskResult['read']>,
  at: string,
): Promise<void> {
  const metAll = (await countUnmarked(db, { platform_id, module_id })) === read.records
  const { mark, requested_at, records, doubts, pushes } = read
  const proof = { complete_at: at, complete_pushes: pushes }
  await db
    .updateTable('modules')
    .set({
      last_read_finished_at: at,
      last_read_records: records,
      ...(doubts === null ? {} : { last_read_doubts: JSON.stringify(doubts) }),
      ...(doubts?.length === 0 ? proof : {}),
      ...(metAll ? { last_read_mark: mark, last_read_requested_at: requested_at } : {}),
    })
    .where('module_id', '=', module_id)
    .execute()
  if (doubts !== null) return
  await db
    .updateTable('modules')
    .set(proof)
    .where('module_id', '=', module_id)
    .where('complete_at', 'is not', null)
    .where('last_read_doubts', '=', '[]')
    .execute()
}
