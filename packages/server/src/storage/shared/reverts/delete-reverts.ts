/** Deletes plans that were not started, and what the hub stores of ended reverts. */
import type { DeletionOutcome, DeletionStep } from '../../port/deletion-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'

/**
 * Deletes some records of an old ended revert, and then old reverts that nothing names any more. A revert stays while holds
 * or history are its own, or while another one takes it back.
 */
export async function deleteOldReverts(
  db: Executor,
  { before, limit }: DeletionStep & { before: string },
): Promise<DeletionOutcome> {
  const old = db
    .selectFrom('reverts as v')
    .select('v.revert_id')
    .where('v.started_at', 'is not', null)
    .where('v.finished_at', '<', before)
    .orderBy('v.revert_id')
  const listed = await old
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('revert_records as w')
          .select('w.record_id')
          .whereRef('w.revert_id', '=', 'v.revert_id'),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  if (listed) {
    const { revert_id } = listed
    const { numDeletedRows } = await db
      .deleteFrom('revert_records')
      .where('revert_id', '=', revert_id)
      .where('record_id', 'in', (eb) =>
        eb
          .selectFrom('revert_records')
          .select('record_id')
          .where('revert_id', '=', revert_id)
          .orderBy('record_id')
          .limit(limit),
      )
      .executeTakeFirst()
    return { deleted: Number(numDeletedRows), next: 0 }
  }
  const unnamed = await old
    .where(({ and, not, exists, selectFrom }) =>
      and([
        not(
          exists(
            selectFrom('holds as h').select('h.path').whereRef('h.revert_id', '=', 'v.revert_id'),
          ),
        ),
        not(
          exists(
            selectFrom('record_history as c')
              .select('c.change_seq')
              .whereRef('c.revert_id', '=', 'v.revert_id'),
          ),
        ),
        not(
          exists(
            selectFrom('reverts as w')
              .select('w.revert_id')
              .whereRef('w.reverts_id', '=', 'v.revert_id'),
          ),
        ),
      ]),
    )
    .limit(limit)
    .execute()
  if (unnamed.length === 0) return { deleted: 0, next: null }
  const ids = unnamed.map(({ revert_id }) => revert_id)
  await db.deleteFrom('reverts').where('revert_id', 'in', ids).execute()
  return { deleted: ids.length, next: ids.length < limit ? null : 0 }
}

/** As `RevertStore.deleteOldPlans`. */
export async function deleteOldPlans(
  { reader, writer }: Pick<Databases, 'reader' | 'writer'>,
  before: string,
  limit: number,
): Promise<boolean> {
  const old = await reader
    .selectFrom('reverts')
    .select('revert_id')
    .where('state', 'in', ['planned', 'cancelled'])
    .where('started_at', 'is', null)
    .where('created_at', '<', before)
    .limit(1)
    .executeTakeFirst()
  if (!old) return false
  const { revert_id } = old
  const ids = await reader
    .selectFrom('revert_records')
    .select('record_id')
    .where('revert_id', '=', revert_id)
    .limit(limit)
    .execute()
  await writer.transaction().execute(async (db) => {
    // What is left of it is not started, not even by a node whose clock is behind.
    const ended = await db
      .updateTable('reverts')
      .set({ state: 'cancelled' })
      .where((eb) => eb.and({ revert_id, started_at: null }))
      .executeTakeFirst()
    if (ended.numUpdatedRows === 0n) return
    if (ids.length > 0) {
      await db
        .deleteFrom('revert_records')
        .where('revert_id', '=', revert_id)
        .where(
          'record_id',
          'in',
          ids.map((row) => row.record_id),
        )
        .execute()
    }
    if (ids.length < limit) {
      await db.deleteFrom('reverts').where('revert_id', '=', revert_id).execute()
    }
  })
  return true
}
