/**
 * Stores which pulls rejected a record, as ranges. A record that every pull of its module rejects has one range, so that
 * the table does not grow with the number of scheduled pulls.
 */
import type { ExpressionBuilder } from 'kysely'
import type { Executor } from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'

type Rejection = {
  rejected_push_id: number
  pull_id: number
  /** The last pull that rejected the record before this one; null if there is none. */
  before: number | null
  /** The last pull that read the module before this one; null if there is none. */
  previous: number | null
}

/** Records that a pull rejected a record: extends its last range if no pull in between has read the module. */
export async function saveRejectingPull(
  db: Executor,
  { rejected_push_id, pull_id, before, previous }: Rejection,
): Promise<void> {
  if (before === pull_id) return
  if (before !== null && before === previous) {
    const extended = await db
      .updateTable('rejected_push_pulls')
      .set({ last_pull_id: pull_id })
      .where('rejected_push_id', '=', rejected_push_id)
      .where('last_pull_id', '=', before)
      .executeTakeFirst()
    if (extended.numUpdatedRows > 0n) return
  }
  await deleteOldRanges(db, rejected_push_id)
  await db
    .insertInto('rejected_push_pulls')
    .values({ rejected_push_id, first_pull_id: pull_id, last_pull_id: pull_id })
    .execute()
}

/** Deletes the ranges of a record that end before the oldest stored pull. */
async function deleteOldRanges(db: Executor, rejectedPushId: number): Promise<void> {
  await db
    .deleteFrom('rejected_push_pulls')
    .where('rejected_push_id', '=', rejectedPushId)
    .where('last_pull_id', '<', (eb) =>
      eb.selectFrom('pulls').select((inner) => inner.fn.min<number>('pull_id').as('oldest')),
    )
    .execute()
}

/** Returns the last pull before this one that read the module; null if there is none. */
export async function findPreviousPull(
  db: Executor,
  module: { platform_id: number; record_type: string | null },
  pullId: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('pull_tasks as t')
    .innerJoin('modules as m', 'm.module_id', 't.module_id')
    .select('t.pull_id')
    .where('t.platform_id', '=', module.platform_id)
    .where('m.record_type', '=', module.record_type)
    .where('t.started_at', 'is not', null)
    .where('t.pull_id', '<', pullId)
    .orderBy('t.pull_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.pull_id ?? null
}

/** Whether a pull rejected the record `r`: one of its ranges includes the pull, and the pull read its module. */
export function wasRejectedBy(
  eb: ExpressionBuilder<Tables & { r: Tables['rejected_pushes'] }, 'r'>,
  pullId: number,
) {
  return eb.and([
    eb(
      'r.rejected_push_id',
      'in',
      eb
        .selectFrom('rejected_push_pulls')
        .select('rejected_push_id')
        .where('first_pull_id', '<=', pullId)
        .where('last_pull_id', '>=', pullId),
    ),
    eb.exists(
      eb
        .selectFrom('pull_tasks as t')
        .innerJoin('modules as m', 'm.module_id', 't.module_id')
        .select('t.task_number')
        .where('t.pull_id', '=', pullId)
        .where('t.started_at', 'is not', null)
        .whereRef('t.platform_id', '=', 'r.platform_id')
        .whereRef('m.record_type', '=', 'r.record_type'),
    ),
  ])
}
