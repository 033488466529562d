import type { PullScope } from '../port/pull-store.ts'
import type { Executor } from './databases.ts'

/** A statement takes 32,766 parameters on SQLite. */
const ROWS_AT_ONCE = 1000

/** Plans a task for each module that a pull covers, those first whose last complete read is oldest. */
export async function planTasks(
  db: Executor,
  pullId: number,
  only: PullScope | null,
): Promise<void> {
  let select = db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select((eb) => [
      'm.module_id',
      'm.platform_id',
      'm.last_read_finished_at',
      eb
        .selectFrom('module_counters as c')
        .whereRef('c.platform_id', '=', 'm.platform_id')
        .whereRef('c.module_id', '=', 'm.module_id')
        .select((inner) => inner.fn.sum<number | null>('c.records').as('n'))
        .as('records'),
    ])
    .where('p.status', '=', 'active')
    .where('m.registered_at', 'is not', null)
  if (only) select = select.where('m.platform_id', '=', only.platform_id)
  if (only?.record_types) select = select.where('m.record_type', 'in', only.record_types)
  const modules = await select.orderBy('m.module_id').execute()
  const ageOf = ({ last_read_finished_at: at }: { last_read_finished_at: string | null }) =>
    at ?? ''
  modules.sort(
    (one, other) => Number(ageOf(one) > ageOf(other)) - Number(ageOf(one) < ageOf(other)),
  )
  const tasks = modules.map(({ platform_id, module_id, records }, index) => ({
    pull_id: pullId,
    task_number: index + 1,
    platform_id,
    module_id,
    state: 'queued' as const,
    total: null,
    expected: records === null ? null : Number(records),
    error: null,
    started_at: null,
    finished_at: null,
  }))
  for (let at = 0; at < tasks.length; at += ROWS_AT_ONCE) {
    await db
      .insertInto('pull_tasks')
      .values(tasks.slice(at, at + ROWS_AT_ONCE))
      .execute()
  }
}
