import type { ModuleCompleteness } from '@recordhub/protocol'
import { sql } from 'kysely'
import { isAccepted, parseGroups } from '../rejected-pushes/rejection-groups.ts'
import type { Executor } from '../schema/databases.ts'

/** The result of the last read of each registered module, and its current counters. */
export async function listCompleteness(
  db: Executor,
  { platform, limit, after }: { platform: string | null; limit: number; after: number | null },
): Promise<ModuleCompleteness[]> {
  let select = db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select([
      'm.module_id',
      'p.platform_name',
      'm.module_name',
      'm.record_type',
      'm.complete_at',
      'm.complete_pushes',
      'm.confirmed_at',
      'm.confirmed_by',
      'm.last_read_finished_at as last_read_at',
      'm.last_read_records',
      'm.last_read_listed as listed',
      'm.last_read_incomplete_reasons',
      'm.last_error',
      'm.last_problem',
      'm.rejection_groups',
      counterOf('records').as('records'),
      counterOf('pushes').as('pushes'),
      sql<number>`(SELECT count(*) FROM records r WHERE r.platform_id = m.platform_id
        AND r.module_id = m.module_id AND r.missing_since IS NOT NULL)`.as('missing'),
    ])
    .where('m.registered_at', 'is not', null)
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  if (after !== null) select = select.where('m.module_id', '>', after)
  const rows = await select.orderBy('m.module_id').limit(limit).execute()
  return rows.map((row) => {
    const { complete_pushes, last_read_records, last_read_incomplete_reasons, ...others } = row
    const { pushes, last_problem, rejection_groups, ...module } = others
    const accepted = parseGroups(rejection_groups).filter(isAccepted)
    const records = Number(row.records)
    const missing = Number(row.missing)
    return {
      ...module,
      records,
      missing,
      accepted: accepted.reduce((sum, { count }) => sum + count, 0),
      last_warning: module.last_error === null ? last_problem : null,
      incomplete_reasons: JSON.parse(last_read_incomplete_reasons),
      pushed_since: complete_pushes === null ? null : Number(pushes) - complete_pushes,
      only_here:
        last_read_records === null ? null : Math.max(0, records - missing - last_read_records),
    }
  })
}

function counterOf(name: 'records' | 'pushes') {
  return sql<number>`coalesce((SELECT sum(c.${sql.ref(name)}) FROM module_counters c
    WHERE c.platform_id = m.platform_id AND c.module_id = m.module_id), 0)`
}
