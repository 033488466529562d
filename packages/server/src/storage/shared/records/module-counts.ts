import { sql } from 'kysely'
import { SUM_MODULUS } from '../../../domain/record/digest-sums.ts'
import type { RecordListStore } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'
import { isVisible } from './module-scope.ts'

/** The accepted pushes of the platform `p`, of all its modules. */
export const ACCEPTED_PUSHES = sql<number>`(SELECT coalesce(sum(c.pushes), 0) FROM module_counters c
  WHERE c.platform_id = p.platform_id)`

type ModuleDelta = {
  records?: number
  invalidations?: number
  versions?: number
  /** Not negative, since sums are added modulo 2^48. */
  version_sum?: number
}

/** Adds to the counters of a module. @param node the name of the counter rows. */
export async function addToModule(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
  { records = 0, invalidations = 0, versions = 0, version_sum = 0 }: ModuleDelta,
  node: string,
): Promise<void> {
  await db
    .insertInto('module_counters')
    .values({ platform_id, module_id, node, records, invalidations, versions, version_sum })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'module_id', 'node']).doUpdateSet({
        records: sql`module_counters.records + excluded.records`,
        invalidations: sql`module_counters.invalidations + excluded.invalidations`,
        versions: sql`module_counters.versions + excluded.versions`,
        version_sum: sql`(module_counters.version_sum + excluded.version_sum) % ${sql.lit(SUM_MODULUS)}`,
      }),
    )
    .execute()
}

/**
 * Makes the next read of a module unconditional, also if a read is in progress. A cached response is valid until a push
 * arrives or this counter grows.
 */
export function invalidateCachedResponse(
  db: Executor,
  module: { platform_id: number; module_id: number },
  node: string,
): Promise<void> {
  return addToModule(db, module, { invalidations: 1 }, node)
}

/** Counts records from the counters that every write updates. */
export async function countRecords(
  db: Executor,
  { platform, record_type }: Parameters<RecordListStore['countRecords']>[0],
): Promise<number> {
  let select = db
    .selectFrom('module_counters as c')
    .innerJoin('modules as m', 'm.module_id', 'c.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'c.platform_id')
    .select((eb) => eb.fn.sum<number | null>('c.records').as('records'))
    .where(isVisible('c'))
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  if (record_type !== null) select = select.where('m.record_type', '=', record_type)
  const row = await select.executeTakeFirst()
  return Number(row?.records ?? 0)
}
