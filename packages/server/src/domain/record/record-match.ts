import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { foldText, isFound } from '../search/search-text.ts'
import {
  type Condition,
  type DataColumn,
  type HubColumn,
  isDataColumn,
  keyOfColumn,
  type RecordFilter,
} from './record-query.ts'
import { isKeyOfText, sortKeyOfText, valueText } from './sort-key.ts'

/** A record as a filter looks at it. */
export type FilteredRecord = {
  reference_number: string
  full_name: string
  data: JsonValue
  incomplete: boolean
  missing_since: string | null
  created_at: string
  updated_at: string
}

export type Matcher = (record: FilteredRecord) => boolean

/**
 * Whether records are among those that a filter asks for, its platform and module left aside.
 * @param isNumeric of which fields the manifests say that they are numbers.
 */
export function createMatcher(
  filter: RecordFilter,
  isNumeric: (column: DataColumn) => boolean,
): Matcher {
  const { reference_number, incomplete, missing, changed_since, search } = filter
  const conditions = filter.conditions.map((condition) => {
    const { column } = condition
    return { column, holds: createTest(condition, isDataColumn(column) && isNumeric(column)) }
  })
  return (record) =>
    (reference_number === null || record.reference_number === reference_number) &&
    (incomplete === null || record.incomplete === incomplete) &&
    (missing === null || (record.missing_since !== null) === missing) &&
    (changed_since === null || record.updated_at >= changed_since) &&
    conditions.every(({ column, holds }) => holds(valueText(valueIn(record, column)))) &&
    (search === null || isFound(record, search))
}

/** The value of a column, undefined where a record has no such field. */
export function valueIn(
  record: FilteredRecord,
  column: HubColumn | DataColumn,
): JsonValue | undefined {
  switch (column) {
    case 'hub_reference_number':
      return record.reference_number
    case 'hub_full_name':
      return record.full_name
    case 'hub_created_at':
      return record.created_at
    case 'hub_updated_at':
      return record.updated_at
    case 'hub_missing_since':
      return record.missing_since
    default: {
      const { data } = record
      const key = keyOfColumn(column)
      return isJsonObject(data) && Object.hasOwn(data, key) ? data[key] : undefined
    }
  }
}

/** No value at all passes only the test for being empty. */
function createTest(
  { test, value }: Condition,
  isNumeric: boolean,
): (text: string | null) => boolean {
  const key = sortKeyOfText(value, isNumeric)
  const isNumber = isNumeric && !isKeyOfText(key)
  const compare = (text: string) => compareCodePoints(sortKeyOfText(text, isNumeric), key)
  switch (test) {
    case 'is':
      return (text) => text !== null && (text === value || (isNumber && compare(text) === 0))
    case 'contains': {
      const part = foldText(value)
      return (text) => text !== null && foldText(text).includes(part)
    }
    case 'starts':
      return (text) => text?.startsWith(value) ?? false
    case 'empty':
      return (text) => (text === null || text === '') === (value === 'true')
    case 'before':
      return (text) => text !== null && text !== '' && isComparable(text) && compare(text) < 0
    case 'after':
      return (text) => text !== null && text !== '' && isComparable(text) && compare(text) >= 0
  }

  /** What is no number is neither before nor after one. */
  function isComparable(text: string): boolean {
    return !isNumber || !isKeyOfText(sortKeyOfText(text, true))
  }
}
