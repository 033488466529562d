/**
 * The modules whose records exist for readers. From the commit of a removal on, the records of its platform or module are
 * in no list, count, search, export, history or feed, although they are deleted step by step.
 */
import { sql } from 'kysely'
import type { Executor } from '../schema/databases.ts'

/** Whether the module of a row is visible. @param alias of a table with `platform_id` and `module_id`. */
export function isVisible(alias: string) {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM removals d
    WHERE d.finished_at IS NULL AND d.platform_id = ${sql.ref(`${alias}.platform_id`)}
      AND (d.module_id IS NULL OR d.module_id = ${sql.ref(`${alias}.module_id`)}))`
}

/** Whether any module is not visible. */
export async function isAnyHidden(db: Executor): Promise<boolean> {
  const removal = await db
    .selectFrom('removals')
    .select('removal_id')
    .where('finished_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return removal !== undefined
}
