import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeUrlState, parseUrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'
import { filterLabel, filtersOf, operationsFor, replaceFilter } from './filters.ts'

const column = (id: string, filter: string, kind: Column['kind'] = 'text'): Column => ({
  id,
  label: `Label ${filter}`,
  kind,
  sort: null,
  filter,
  exported: id,
  isHiddenByDefault: false,
  valueOf: () => null,
})
const columns = [
  column('data.status', 'status'),
  column('data.amount', 'amount', 'number'),
  column('hub_updated_at', 'hub_updated_at', 'date'),
]
const labels = (query: string) =>
  filtersOf(parseUrlState(query)).map((filter) => filterLabel(filter, columns))

describe('filters', () => {
  test('have labels', () => {
    assert.deepEqual(labels('filter[status][contains]=open&missing=true&incomplete=false'), [
      'Complete',
      'Missing',
      'Label status contains “open”',
    ])
    assert.deepEqual(labels('missing_review=7'), ['Missing records of review 7'])
    assert.deepEqual(labels('filter[amount][after]=1&filter[amount][before]=5'), [
      'Label amount is between “1” and “5”',
    ])
    assert.deepEqual(labels('filter[other][empty]=false&reference_number=A-1'), [
      'Reference is “A-1”',
      'other is not empty',
    ])
    assert.match(
      labels('filter[hub_updated_at][after]=2026-11-21T07:30:00.000Z')[0] ?? '',
      /^Label hub_updated_at is at or after Nov 2\d, 2026/,
    )
  })

  test('replace each other in the URL', () => {
    const before = parseUrlState('q=a&filter[amount][after]=1&filter[amount][before]=5&cursor=c')
    const [range = null] = filtersOf(before)
    const after = changeUrlState(
      before,
      replaceFilter(range, {
        kind: 'condition',
        key: 'amount',
        operation: 'filled',
        value: '',
        until: '',
      }),
    )
    assert.deepEqual(after, { q: 'a', 'filter[amount][empty]': 'false' })
    assert.deepEqual(changeUrlState(before, replaceFilter(range, null)), { q: 'a' })
    const flagged = changeUrlState(
      {},
      replaceFilter(null, { kind: 'flag', name: 'missing', value: false }),
    )
    assert.deepEqual(flagged, { missing: 'false' })
    const [flag = null] = filtersOf(flagged)
    assert.deepEqual(changeUrlState(flagged, replaceFilter(flag, null)), {})
  })

  test('offer operations by the type of the field, each once', () => {
    for (const kind of ['text', 'number', 'date'] as const) {
      const offered = operationsFor(kind).map(({ value }) => value)
      assert.equal(new Set(offered).size, 8)
    }
    assert.equal(operationsFor('number')[2]?.label, 'is at least')
  })
})
