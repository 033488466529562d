import { type RawBuilder, sql } from 'kysely'
import { isDataColumn } from '../../../domain/record/record-query.ts'
import type { RecordQuery } from '../../port/record-list-store.ts'
import type { ModuleScope } from '../records/module-scope.ts'

/** Whether a column holds a text, case by case. */
export type Holds = (column: RawBuilder<unknown>, text: string) => RawBuilder<boolean>

/** In JSON nothing but an escape of each letter can make a text of these letters look otherwise. */
const PLAIN = /^[^"\\/[\]{}\p{Cc}]+$/u
const ESCAPE = '\\u'

/**
 * What the database can tell of every record that a filter finds: those of which it is not true need not
 * be looked at. Null where it can tell nothing.
 */
export function prefilterOf(
  query: RecordQuery,
  { isNumeric }: ModuleScope,
  holds: Holds,
): RawBuilder<boolean> | null {
  const { incomplete, missing, changed_since } = query
  const data = sql.ref('r.data')
  const parts: RawBuilder<unknown>[] = []
  if (incomplete !== null) parts.push(sql`r.incomplete = ${sql.lit(incomplete ? 1 : 0)}`)
  if (missing !== null) {
    parts.push(missing ? sql`r.missing_since IS NOT NULL` : sql`r.missing_since IS NULL`)
  }
  if (changed_since !== null) parts.push(sql`r.updated_at >= ${changed_since}`)
  for (const { column, test, value } of query.conditions) {
    if (!isDataColumn(column) || isNumeric(column) || !PLAIN.test(value)) continue
    if (test !== 'is' && test !== 'starts') continue
    parts.push(sql`(${holds(data, value)} OR ${holds(data, ESCAPE)})`)
  }
  return parts.length === 0 ? null : sql<boolean>`${sql.join(parts, sql` AND `)}`
}
