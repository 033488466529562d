import type { DropOutcome, DropStep } from '../../port/retention-store.ts'
import type { Executor } from '../schema/databases.ts'

/** Drops the oldest pull, or some of its tasks. One pull runs at a time, so that they ended in the order of their numbers. */
export async function dropOldPull(
  db: Executor,
  { before, limit }: DropStep & { before: string },
): Promise<DropOutcome> {
  const oldest = await db
    .selectFrom('pulls')
    .select(['pull_id', 'finished_at'])
    .orderBy('pull_id')
    .limit(1)
    .executeTakeFirst()
  if (!oldest || oldest.finished_at === null || oldest.finished_at >= before) {
    return { dropped: 0, next: null }
  }
  const { pull_id } = oldest
  const later = await db
    .selectFrom('pulls')
    .select('pull_id')
    .where('pull_id', '>', pull_id)
    .where('finished_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  // The newest one is what people are told of.
  if (!later) return { dropped: 0, next: null }
  const tasks = await db
    .deleteFrom('pull_tasks')
    .where('pull_id', '=', pull_id)
    .where('task_number', 'in', (eb) =>
      eb
        .selectFrom('pull_tasks')
        .select('task_number')
        .where('pull_id', '=', pull_id)
        .orderBy('task_number')
        .limit(limit - 1),
    )
    .executeTakeFirst()
  const pulls = await db
    .deleteFrom('pulls')
    .where('pull_id', '=', pull_id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('pull_tasks').select('task_number').where('pull_id', '=', pull_id))),
    )
    .executeTakeFirst()
  return { dropped: Number(tasks.numDeletedRows) + Number(pulls.numDeletedRows), next: 0 }
}
