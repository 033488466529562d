/** Finds records by their name or reference number in the index that orders the records of a module by that column. */
import { type RawBuilder, sql } from 'kysely'
import type { Condition } from '../../../domain/record/record-query.ts'
import { endOfPrefix, truncateCodePoints } from '../../../lib/text/code-points.ts'
import { isStorableText } from '../../../lib/text/storable-text.ts'
import type { ListScope } from '../../port/record-list-store.ts'
import { IN_LIST_INDEX } from '../records/record-rows.ts'
import type { ScanDeps } from './record-scan.ts'

/**
 * Returns the ids of records that may match a condition, at most `limit`. Every record of the scope that matches is
 * among them. Returns null if no index can be used.
 */
export async function findByHubColumn(
  { db, dialect }: ScanDeps,
  scope: ListScope,
  { column, test, value }: Condition,
  limit: number,
): Promise<number[] | null> {
  const length = column === 'hub_full_name' ? dialect.nameIndexLength : null
  const key = keyOf(column, length)
  if (!key || (test !== 'is' && test !== 'starts')) return null
  if (!isStorableText(value)) return []
  const start = length === null ? value : truncateCodePoints(value, length)
  // With an inner join, SQLite would read all records and look their modules up. A cross join begins with the modules.
  let select = db
    .selectFrom('modules as m')
    .crossJoin('records as r')
    .select('r.record_id')
    .whereRef('r.platform_id', '=', 'm.platform_id')
    .whereRef('r.module_id', '=', 'm.module_id')
    .where(test === 'is' ? sql<boolean>`${key} = ${start}` : isBetween(key, start))
  // The index on references is not one of those for lists.
  if (column === 'hub_full_name') select = select.where(IN_LIST_INDEX)
  if (!scope.all) {
    const moduleIds = scope.modules.map(({ module_id }) => module_id)
    select = select.where('m.module_id', 'in', dialect.idList(moduleIds))
  }
  const rows = await select.limit(limit).execute()
  return rows.map((row) => row.record_id)
}

/** @param length the number of characters of a name in the index; null for all of them. */
function keyOf(column: Condition['column'], length: number | null): RawBuilder<unknown> | null {
  if (column === 'hub_reference_number') return sql.ref('r.reference_number')
  if (column !== 'hub_full_name') return null
  const name = sql.ref('r.full_name')
  return length === null ? name : sql`substr(${name}, 1, ${sql.lit(length)})`
}

function isBetween(key: RawBuilder<unknown>, prefix: string): RawBuilder<boolean> {
  const end = endOfPrefix(prefix)
  if (end === null) return sql<boolean>`${key} >= ${prefix}`
  return sql<boolean>`${key} >= ${prefix} AND ${key} < ${end}`
}
