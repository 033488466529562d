import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { foldText } from '../search/fold-text.ts'
import { MAX_DOCUMENT_LENGTH, matchesSearch } from '../search/search-text.ts'
import {
  type Condition,
  type DataColumn,
  type HubColumn,
  isDataColumn,
  keyOfColumn,
  type RecordFilter,
} from './record-query.ts'
import { isTextKey, sortKeyOfText, valueText } from './sort-key.ts'

/** The members of a record that filters read. */
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
 * Returns a function that tests whether a record matches a filter. It does not test platform and module.
 * @param isNumeric tells whether the manifests declare a field as a number.
 */
export function createMatcher(
  filter: RecordFilter,
  isNumeric: (column: DataColumn) => boolean,
): Matcher {
  const { reference_number, incomplete, missing, changed_since, search } = filter
  const conditions = filter.conditions.map((condition) => {
    const { column } = condition
    return { column, test: createTest(condition, isDataColumn(column) && isNumeric(column)) }
  })
  return (record) =>
    (reference_number === null || record.reference_number === reference_number) &&
    (incomplete === null || record.incomplete === incomplete) &&
    (missing === null || (record.missing_since !== null) === missing) &&
    (changed_since === null || record.updated_at >= changed_since) &&
    conditions.every(({ column, test }) => test(valueText(valueIn(record, column)))) &&
    (search === null || matchesSearch(record, search))
}

/** Returns the value of a column; undefined if the record does not have the field. */
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

/** Returns a test of a value's text, which is null if the record has no value. */
function createTest(
  { test, value }: Condition,
  isNumeric: boolean,
): (text: string | null) => boolean {
  const key = sortKeyOfText(value, isNumeric)
  const isNumber = isNumeric && !isTextKey(key)
  const compare = (text: string) => compareCodePoints(sortKeyOfText(text, isNumeric), key)
  switch (test) {
    case 'is':
      return (text) => text !== null && (text === value || (isNumber && compare(text) === 0))
    case 'contains': {
      const part = foldText(value)
      return (text) => text !== null && foldText(text.slice(0, MAX_DOCUMENT_LENGTH)).includes(part)
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

  /** Other text is neither before nor after a number. */
  function isComparable(text: string): boolean {
    return !isNumber || !isTextKey(sortKeyOfText(text, true))
  }
}
