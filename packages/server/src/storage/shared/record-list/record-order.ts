/** The orders of a list: where each record stands in it, and which comes first. */
import type { RecordSort } from '@recordhub/protocol'
import { valueIn } from '../../../domain/record/record-match.ts'
import {
  type DataColumn,
  isDataColumn,
  type RecordOrder,
} from '../../../domain/record/record-query.ts'
import { sortKeyOf } from '../../../domain/record/sort-key.ts'
import { compareCodePoints } from '../../../lib/text/code-points.ts'
import type { Position } from '../../port/record-list-store.ts'
import { type SelectedRecord, toFilteredRecord } from '../records/record-rows.ts'

export type Compare = (one: Position, other: Position) => number

/** Negative where the first one comes earlier in the list. */
export function comparePositions({ descending }: Pick<RecordOrder, 'descending'>): Compare {
  const turn = descending ? -1 : 1
  return (one, other) => {
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1
    return turn * (compareValues(one.value, other.value) || one.record_id - other.record_id)
  }
}

function compareValues(one: Position['value'], other: Position['value']): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return compareCodePoints(String(one), String(other))
}

/** Where a record stands, by what it holds itself. */
export function createPositionOf(
  sort: RecordOrder['sort'],
  isNumeric: (column: DataColumn) => boolean,
): (row: SelectedRecord) => Position {
  if (!isDataColumn(sort)) return (row) => positionOf(row, sort)
  const numeric = isNumeric(sort)
  return (row) => ({
    value: sortKeyOf(valueIn(toFilteredRecord(row), sort), numeric),
    record_id: row.record_id,
  })
}

function positionOf(row: SelectedRecord, sort: RecordSort): Position {
  const { record_id } = row
  if (sort === 'updated_at') return { value: row.change_seq, record_id }
  return { value: sort === 'created_at' ? record_id : row[sort], record_id }
}
