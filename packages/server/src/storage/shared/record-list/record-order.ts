/** The order of a list, and the filter of its records. */
import { createMatcher, valueIn } from '../../../domain/record/record-match.ts'
import { isDataColumn, type RecordOrder } from '../../../domain/record/record-query.ts'
import { sortKeyOf } from '../../../domain/record/sort-key.ts'
import { compareCodePoints } from '../../../lib/text/code-points.ts'
import type { ListScope, Position } from '../../port/record-list-store.ts'
import { type SelectedRecord, toFilteredRecord } from '../records/record-rows.ts'
import type { ResolvedQuery } from './record-scan.ts'

/** Returns a negative number if the first position comes before the second one. */
export type Compare = (one: Position, other: Position) => number
export type PositionOf = (row: SelectedRecord) => Position
export type Matches = (row: SelectedRecord) => boolean

/** Compares positions in the direction in which a query reads the list. */
export function createCompare({
  descending,
  backwards = false,
}: Pick<RecordOrder, 'descending'> & { backwards?: boolean }): Compare {
  const sign = descending ? -1 : 1
  const compare: Compare = (one, other) => {
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1
    return sign * (compareValues(one.value, other.value) || one.record_id - other.record_id)
  }
  return backwards ? (one, other) => compare(other, one) : compare
}

function compareValues(one: Position['value'], other: Position['value']): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return compareCodePoints(String(one), String(other))
}

/** Returns a function that computes the position of a record from its content. */
export function createPositionOf(sort: RecordOrder['sort'], scope: ListScope): PositionOf {
  if (isDataColumn(sort)) {
    const isNumeric = scope.kinds.get(sort) === 'number'
    return (row) => ({
      value: sortKeyOf(valueIn(toFilteredRecord(row), sort), isNumeric),
      record_id: row.record_id,
    })
  }
  switch (sort) {
    case 'updated_at':
      return ({ change_seq, record_id }) => ({ value: change_seq, record_id })
    case 'created_at':
      return ({ record_id }) => ({ value: record_id, record_id })
    default:
      return (row) => ({ value: row[sort], record_id: row.record_id })
  }
}

/** Tests a record against the filter of a query, except for platform and module. */
export function createMatches({ query, scope, reviewedIds }: ResolvedQuery): Matches {
  const matches = createMatcher(query, scope.kinds)
  if (!reviewedIds) return (row) => matches(toFilteredRecord(row))
  const ids = new Set(reviewedIds)
  return (row) => ids.has(row.record_id) && matches(toFilteredRecord(row))
}
