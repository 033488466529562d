import { valuesAt } from '@recordhub/protocol/data-path'
import { type FilterKind, numberKey, parseTimeSpan } from '@recordhub/protocol/field-filter'
import type { JsonValue } from '@recordhub/protocol/lossless-json'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { foldText } from '../search/fold-text.ts'
import { listTexts, matchesSearch } from '../search/search-text.ts'
import {
  type Condition,
  type DataColumn,
  type FieldKinds,
  type HubColumn,
  isDataColumn,
  kindOfColumn,
  pathOfColumn,
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

type Matcher = (record: FilteredRecord) => boolean

/**
 * Returns a function that tests whether a record matches a filter. It does not test platform and module.
 * @param kinds of the fields in the conditions.
 */
export function createMatcher(filter: RecordFilter, kinds: FieldKinds): Matcher {
  const { reference_number, incomplete, missing, changed_since, search } = filter
  const conditions = filter.conditions.map((one) => createConditionMatcher(one, kinds))
  return (record) =>
    (reference_number === null || record.reference_number === reference_number) &&
    (incomplete === null || record.incomplete === incomplete) &&
    (missing === null || (record.missing_since !== null) === missing) &&
    (changed_since === null || record.updated_at >= changed_since) &&
    conditions.every((matches) => matches(record)) &&
    (search === null || matchesSearch(record, search))
}

/** As {@link createMatcher}, for one condition. */
export function createConditionMatcher(condition: Condition, kinds: FieldKinds): Matcher {
  const read = createReader(condition.column)
  const test = createTest(condition, kindOfColumn(condition.column, kinds))
  return (record) => test(read(record))
}

/** Returns a function that reads the values of a column; none if the record does not have the field. */
function createReader(
  column: HubColumn | DataColumn,
): (record: FilteredRecord) => readonly JsonValue[] {
  if (isDataColumn(column)) {
    const path = pathOfColumn(column)
    return ({ data }) => valuesAt(data, path)
  }
  const member = HUB_MEMBERS[column]
  return (record) => [record[member]]
}

const HUB_MEMBERS = {
  hub_reference_number: 'reference_number',
  hub_full_name: 'full_name',
  hub_created_at: 'created_at',
  hub_updated_at: 'updated_at',
  hub_missing_since: 'missing_since',
} as const satisfies Record<HubColumn, keyof FilteredRecord>

/** Returns a test of the values that a record has in a column. */
function createTest(
  condition: Condition,
  kind: FilterKind,
): (values: readonly JsonValue[]) => boolean {
  if (condition.test === 'in') return someText(createEquals(kind, condition.values))
  const { test, value } = condition
  switch (test) {
    case 'contains': {
      const part = foldText(value)
      return (values) => listTexts(values).some((text) => foldText(text).includes(part))
    }
    case 'starts':
      return someText((text) => text.startsWith(value))
    case 'empty': {
      const isFilled = someText((text) => text !== '')
      return (values) => isFilled(values) !== (value === 'true')
    }
    case 'is':
      return someText(createEquals(kind, [value]))
    case 'ne': {
      const isEqual = someText(createEquals(kind, [value]))
      return (values) => !isEqual(values)
    }
    default: {
      const compare = createCompare(kind, value)
      const isMet = (order: number) => (test === 'before' ? order < 0 : order >= 0)
      return someText((text, one) => {
        // An empty text is in no range.
        const order = text === '' ? null : compare(text, one)
        return order !== null && isMet(order)
      })
    }
  }
}

/** A test of a value and its text. */
type TextTest = (text: string, value: JsonValue) => boolean

/** Returns a test of several values, of which one must pass. Null passes none. */
function someText(test: TextTest): (values: readonly JsonValue[]) => boolean {
  return (values) =>
    values.some((value) => {
      const text = valueText(value)
      return text !== null && test(text, value)
    })
}

function createEquals(kind: FilterKind, values: readonly string[]): TextTest {
  const texts = new Set(values)
  const keys = new Set(values.map(numberKey))
  keys.delete(null)
  const spans = values.map(parseTimeSpan).filter((span) => span !== null)
  const isNumber = (text: string) => keys.has(numberKey(text))
  const isTime = (text: string) => {
    // A day is equal to all times within it, a minute to all its seconds.
    const from = spans.length > 0 ? parseTimeSpan(text)?.from : undefined
    return from !== undefined && spans.some((span) => span.from <= from && from < span.until)
  }
  switch (kind) {
    case 'number':
      return isNumber
    case 'date':
    case 'instant':
      return isTime
    case 'by_value':
      return (text, value) =>
        texts.has(text) || (isJsonNumber(value) ? isNumber(text) : isText(value) && isTime(text))
    default:
      return (text) => texts.has(text)
  }
}

/**
 * Returns a function that compares values with that of a filter. It returns null for a value that cannot be compared:
 * one that is no number in a field of numbers, or no time among times.
 */
function createCompare(
  kind: FilterKind,
  value: string,
): (text: string, value: JsonValue) => number | null {
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
        if (other.from < span.from) return -1
        return other.from < span.until ? 0 : 1
      }
    }
    case 'by_value': {
      const [asNumber, asTime, asText] = [
        createCompare('number', value),
        createCompare('date', value),
        createCompare('text', value),
      ]
      return (text, one) => {
        const order = isJsonNumber(one)
          ? asNumber(text, one)
          : isText(one)
            ? asTime(text, one)
            : null
        return order ?? asText(text, one)
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

function isText(value: JsonValue): boolean {
  return typeof value === 'string'
}

function isJsonNumber(value: JsonValue): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value)
}
