/** The causes for which pulls reject records, and the pulls that rejected each record. */
import type { ExpressionBuilder } from 'kysely'
import {
  keepAccepted,
  type RejectionGroup,
  type StoredRejectionGroup,
} from '../../../domain/record/rejection-groups.ts'
import type { RejectedPushStore } from '../../port/rejected-push-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { findRow, updateRows } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'

export function parseGroups(text = '[]'): StoredRejectionGroup[] {
  return JSON.parse(text)
}

export function isAccepted({ accepted_at }: StoredRejectionGroup): boolean {
  return accepted_at !== null
}

/** Replaces the groups of a module after a complete read. The transaction has the lock of rejected pushes. */
export async function saveGroups(
  db: Executor,
  { module_id }: { module_id: number },
  found: readonly RejectionGroup[],
): Promise<void> {
  const stored = await findRow(db, 'modules', { module_id }, ['rejection_groups'])
  const rejection_groups = JSON.stringify(
    keepAccepted(parseGroups(stored?.rejection_groups), found),
  )
  if (rejection_groups === stored?.rejection_groups) return
  await updateRows(db, 'modules', { module_id }, { rejection_groups })
}

/** Returns the modules that have rejected records, of one platform or of all. */
export function listModulesWithGroups(db: Executor, platform: string | null) {
  let select = db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id', 'm.rejection_groups'])
    .where('m.rejection_groups', '!=', '[]')
    .where('p.removed_at', 'is', null)
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  return select.execute()
}

export function createRejectionAcceptance(
  databases: Databases,
): Pick<RejectedPushStore, 'acceptRejections'> {
  const { transact } = databases
  return {
    acceptRejections: ({ platform, cause, digest, by }, log) =>
      transact(['rejected pushes'], async (db, at) => {
        for (const { module_id, rejection_groups } of await listModulesWithGroups(db, platform)) {
          const groups = parseGroups(rejection_groups)
          const group = groups.find((one) => one.cause === cause)
          if (!group) continue
          if (digest !== null && group.digest !== digest) return 'changed'
          const acceptance =
            digest === null
              ? { accepted_at: null, accepted_by: null }
              : { accepted_at: at, accepted_by: by }
          const changed = groups.map((one) => (one === group ? { ...one, ...acceptance } : one))
          await db
            .updateTable('modules')
            .set({ rejection_groups: JSON.stringify(changed) })
            .where('module_id', '=', module_id)
            .execute()
          await insertLog(db, at, log(group.count))
          return 'stored'
        }
        return 'unknown'
      }),
  }
}

type Rejection = {
  rejected_push_id: number
  pull_id: number
  /** The last pull that rejected the record before this one; null if there is none. */
  before: number | null
  /** The last pull that read the module before this one; null if there is none. */
  previous: number | null
}

/**
 * Stores that a pull rejected a record: extends its last range if no pull in between has read the module. A record that
 * every pull of its module rejects has one range, so that the table does not grow with the number of scheduled pulls.
 */
export async function saveRejectingPull(
  db: Executor,
  { rejected_push_id, pull_id, before, previous }: Rejection,
): Promise<void> {
  if (before === pull_id) return
  if (before !== null && before === previous) {
    const range = { rejected_push_id, last_pull_id: before }
    const extended = await updateRows(db, 'rejected_push_pulls', range, { last_pull_id: pull_id })
    if (extended > 0) return
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
