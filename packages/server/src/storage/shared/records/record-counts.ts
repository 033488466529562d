import type { RecordListStore } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'

type Scope = Parameters<RecordListStore['countRecords']>[0]

/** Counts records from the counters that every write updates. */
export async function countRecords(
  db: Executor,
  { platform, record_type }: Scope,
): Promise<number> {
  let select = db
    .selectFrom('module_counters as c')
    .innerJoin('modules as m', 'm.module_id', 'c.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'c.platform_id')
    .select((eb) => eb.fn.sum<number | null>('c.records').as('records'))
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  if (record_type !== null) select = select.where('m.record_type', '=', record_type)
  const row = await select.executeTakeFirst()
  return Number(row?.records ?? 0)
}
