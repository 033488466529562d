import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DataField } from '@recordhub/protocol'
import { changeUrlState, parseUrlState, writeUrlState } from '../../lib/url-state.ts'
import { readFacets, writeFacets } from './column-layout.ts'
import type { Column } from './columns.ts'
import {
  checkOf,
  countableFields,
  facetPathsOf,
  filterLabel,
  filtersOf,
  operationsFor,
  replaceFilter,
  toggleFacet,
  toggleValue,
} from './filters.ts'
import { openView, viewQueryOf } from './list-query.ts'

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
      replaceFilter(before, range, {
        kind: 'condition',
        key: 'amount',
        operation: 'filled',
        value: '',
        until: '',
        values: [],
      }),
    )
    assert.deepEqual(after, { q: 'a', 'filter[amount][empty]': 'false' })
    assert.deepEqual(changeUrlState(before, replaceFilter(before, range, null)), { q: 'a' })
    const flagged = changeUrlState(
      {},
      replaceFilter({}, null, { kind: 'flag', name: 'missing', value: false }),
    )
    assert.deepEqual(flagged, { missing: 'false' })
    const [flag = null] = filtersOf(flagged)
    assert.deepEqual(changeUrlState(flagged, replaceFilter(flagged, flag, null)), {})
  })

  test('of a kind on one field are independent, and one that equals empty stays', () => {
    const query =
      'filter[note][contains]=a&filter[note][contains]=b&filter[status]=' +
      '&filter[amount][after]=1&filter[amount][after]=2&filter[amount][before]=9'
    const state = parseUrlState(query)
    assert.deepEqual(labels(query), [
      'note contains “a”',
      'note contains “b”',
      'Label status is “”',
      'Label amount is between “1” and “9”',
      'Label amount is at least “2”',
    ])
    assert.equal(decodeURIComponent(writeUrlState(state)), `?${query}`)
    const [, second = null] = filtersOf(state)
    const changed = changeUrlState(
      { 'filter[note][contains]': 'a', 'filter[note][contains]#2': 'b', 'filter[x][like]': '1' },
      replaceFilter(
        parseUrlState('filter[note][contains]=a&filter[note][contains]=b'),
        second,
        null,
      ),
    )
    assert.deepEqual(changed, { 'filter[note][contains]': 'a', 'filter[x][like]': '1' })
    const [first = null] = filtersOf(changed)
    const doubled = changeUrlState(changed, replaceFilter(changed, null, first))
    assert.equal(filtersOf(doubled).length, 1)
    assert.deepEqual(viewQueryOf(changeUrlState({}, openView({}, query))), viewQueryOf(state))
  })

  test('of several values are one, and a facet adds and removes its values', () => {
    const query = 'filter[status][in]=open&filter[status][in]=new&filter[status][ne]=old'
    assert.deepEqual(labels(query), [
      'Label status is one of “open”, “new”',
      'Label status is not “old”',
    ])
    const state = parseUrlState(query)
    const [several = null] = filtersOf(state)
    const set = (chosen: string[], value: string) =>
      changeUrlState(state, replaceFilter(state, several, toggleValue('status', chosen, value)))
    assert.equal(set(['open', 'new'], 'new')['filter[status]'], 'open')
    assert.equal(set(['open', 'new'], 'late')['filter[status][in]#3'], 'late')
    assert.deepEqual(set(['open'], 'open'), { 'filter[status][ne]': 'old' })
  })

  test('are offered as facets for fields of few values', () => {
    const field = (path: string, distinct: number | null, over: Partial<DataField> = {}) => ({
      path,
      parent: null,
      name: path,
      label: null,
      in_manifest: true,
      types: ['text' as const],
      records: 1,
      distinct,
      examples: [],
      ...over,
    })
    const fields = [
      field('a', 1),
      field('b', 2),
      field('c', null),
      field('d', 2, { parent: 'c' }),
      field('n', 2, { types: ['number'] }),
      field('e', 20),
      field('f', 3),
      field('g', 21),
    ]
    assert.deepEqual(
      countableFields(fields).map(({ path }) => path),
      ['b', 'd', 'n', 'e', 'f'],
    )
    assert.deepEqual(facetPathsOf(fields, ['']), ['b', 'e'])
    assert.deepEqual(facetPathsOf(fields, ['n', 'g', 'd', 'b']), ['n', 'd'])
    assert.deepEqual(toggleFacet(['b', 'e'], 'd'), ['e', 'd'])
    assert.deepEqual(toggleFacet(['b', 'e'], 'b'), ['e'])
    assert.deepEqual(toggleFacet(['e'], 'e'), ['e'])
    const paths = ['a,b', 'makers[].role']
    assert.deepEqual(readFacets(writeFacets(paths)), paths)
  })

  test('are checked by the kind of their column', () => {
    const [, amount, updated] = columns
    assert.deepEqual(checkOf(amount, 'between'), { kind: 'number', test: 'after' })
    assert.deepEqual(checkOf(updated, 'filled'), { kind: 'instant', test: 'empty' })
    assert.deepEqual(checkOf(undefined, 'is'), { kind: 'text', test: 'is' })
  })

  test('offer operations by the type of the field, each once', () => {
    for (const kind of ['text', 'number', 'date', 'boolean'] as const) {
      const offered = operationsFor(kind).map(({ value }) => value)
      assert.equal(new Set(offered).size, 10)
    }
    assert.equal(operationsFor('number')[3]?.label, 'is at least')
  })
})
