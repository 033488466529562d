import { sql } from 'kysely'
import type { Executor } from '../schema/databases.ts'

/** Adds to a module's counters, in the counter rows of `node`. */
export async function addToModule(
  db: Executor,
  { platform_id, module_id }: { platform_id: number; module_id: number },
  { records = 0, pushes = 0 }: { records?: number; pushes?: number },
  node: string,
): Promise<void> {
  await db
    .insertInto('module_counters')
    .values({ platform_id, module_id, node, records, pushes, last_received_at: null })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'module_id', 'node']).doUpdateSet({
        records: sql`module_counters.records + excluded.records`,
        pushes: sql`module_counters.pushes + excluded.pushes`,
      }),
    )
    .execute()
}

/**
 * Makes the next read of a module unconditional, even if one is in progress: a cached response is valid only if no
 * push has arrived since, and this counts as a push.
 */
export function invalidateCachedResponse(
  db: Executor,
  module: { platform_id: number; module_id: number },
  node: string,
): Promise<void> {
  return addToModule(db, module, { pushes: 1 }, node)
}
