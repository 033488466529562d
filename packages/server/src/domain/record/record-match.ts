import {
  type FilterKind,
  type FilterTest,
  numberKey,
  parseTimeSpan,
} from '@recordhub/protocol/field-filter'
import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { foldText } from '../search/fold-text.ts'
import { MAX_DOCUMENT_LENGTH, matchesSearch } from '../search/search-text.ts'
import {
  type Condition,
  type DataColumn,
  type FieldKinds,
  type HubColumn,
  keyOfColumn,
  kindOfColumn,
  type RecordFilter,
} from './record-query.ts'
import { sortKeyOfText, valueText } from './sort-key.ts'

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
 * @param kinds of the fields in the conditions.
 */
export function createMatcher(filter: RecordFilter, kinds: FieldKinds): Matcher {
  const { reference_number, incomplete, missing, changed_since, search } = filter
  const conditions = filter.conditions.map((condition) => {
    const { column } = condition
    return { column, test: createTest(condition, kindOfColumn(column, kinds)) }
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
  kind: FilterKind,
): (text: string | null) => boolean {
  switch (test) {
    case 'contains': {
      const part = foldText(value)
      return (text) => text !== null && foldText(text.slice(0, MAX_DOCUMENT_LENGTH)).includes(part)
    }
    case 'starts':
      return (text) => text?.startsWith(value) ?? false
    case 'empty':
      return (text) => (text === null || text === '') === (value === 'true')
    default: {
      const compare = createCompare(kind, value)
      return (text) => {
        // An empty text is in no range.
        if (text === null || (text === '' && test !== 'is')) return false
        const order = compare(text)
        return order !== null && isMet(test, order)
      }
    }
  }
}

function isMet(test: Exclude<FilterTest, 'contains' | 'starts' | 'empty'>, order: number): boolean {
  if (test === 'is') return order === 0
  return test === 'before' ? order < 0 : order >= 0
}

/**
 * Returns a function that compares texts with the value of a filter. It returns null for a text that cannot be compared:
 * one that is no number in a field of numbers, or no time among times.
 */
function createCompare(kind: FilterKind, value: string): (text: string) => number | null {
  switch (kind) {
    case 'number': {
      const key = numberKey(value)
      return (text) => {
        const other = numberKey(text)
        return key === null || other === null ? null : compareCodePoints(other, key)
      }
    }
    case 'date':
    case 'instant': {
      const span = parseTimeSpan(value)
      return (text) => {
        const other = parseTimeSpan(text)
        if (span === null || other === null) return null
        // A day is equal to all times within it, a minute to all its seconds.
        if (other.from < span.from) return -1
        return other.from < span.until ? 0 : 1
      }
    }
    default: {
      const key = sortKeyOfText(value, false)
      return (text) => {
        if (text === value) return 0
        // Different texts may have the same key, which is truncated.
        return compareCodePoints(sortKeyOfText(text, false), key) || 1
      }
    }
  }
}
