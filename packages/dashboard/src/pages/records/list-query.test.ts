import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeUrlState, parseUrlState } from '../../lib/url-state.ts'
import {
  clearFilters,
  conditionsOf,
  exportAddress,
  isFiltered,
  isViewOpen,
  listQueryOf,
  openView,
  replaceConditions,
  sortOf,
  textOfSort,
  viewQueryOf,
} from './list-query.ts'

const state = parseUrlState(
  'platform=hr&record_type=employee&q=ann&filter[status]=open&filter[on][after]=2026&sort=-data.on&cursor=c&record=7&tab=raw',
)

describe('the list query of a URL', () => {
  test('contains the API parameters and none of the page', () => {
    const query = new URLSearchParams(listQueryOf(state))
    assert.deepEqual(
      [...query.keys()],
      [
        'limit',
        'sort',
        'platform',
        'record_type',
        'q',
        'filter[status]',
        'filter[on][after]',
        'cursor',
      ],
    )
    assert.ok(!viewQueryOf(state).includes('cursor'))
  })

  test('of a saved view contains its columns, those of the API do not', () => {
    const shown = parseUrlState('q=a&columns=hub_full_name;240;p')
    assert.equal(viewQueryOf(shown), 'columns=hub_full_name%3B240%3Bp&q=a')
    assert.equal(changeUrlState({ columns: 'x' }, openView({}, 'q=a'))['columns'], undefined)
    assert.equal(listQueryOf(shown), 'limit=100&sort=relevance&q=a')
  })

  test('is that of a view if the columns and the facets that the view holds are shown', () => {
    const isOpen = (query: string) =>
      isViewOpen(parseUrlState('q=a&columns=old'), { columns: 'x', facets: 'b' }, query)
    const open = ['q=a', 'q=a&columns=x', 'facets=b&q=a', 'q=a&columns=x&facets=b']
    assert.deepEqual(open.map(isOpen), [true, true, true, true])
    assert.deepEqual(['q=b', 'q=a&columns=old', 'q=a&facets=c'].map(isOpen), [false, false, false])
  })

  test('is the same view for any order of its parameters', () => {
    assert.equal(
      viewQueryOf(parseUrlState('q=a&platform=b')),
      viewQueryOf(parseUrlState('platform=b&q=a&record=1')),
    )
  })

  test('returns its conditions, including unusual keys', () => {
    assert.deepEqual(
      conditionsOf(parseUrlState('filter[a]b]=1&filter[x y][empty]=true&filter[z][like]=1')),
      [
        { key: 'a]b', test: 'is', value: '1' },
        { key: 'x y', test: 'empty', value: 'true' },
      ],
    )
  })

  test('replaces conditions and returns to the first page', () => {
    const changed = changeUrlState(
      state,
      replaceConditions(
        state,
        [{ key: 'status', test: 'is', value: 'open' }],
        [{ key: 'status', test: 'contains', value: 'o' }],
      ),
    )
    assert.equal(changed['filter[status]'], undefined)
    assert.equal(changed['filter[status][contains]'], 'o')
    assert.equal(changed['cursor'], undefined)
    assert.equal(changed['record'], '7')
  })

  test('contains the module and the sort order after the filters are cleared', () => {
    const cleared = changeUrlState(state, clearFilters(state))
    assert.equal(viewQueryOf(cleared), 'platform=hr&record_type=employee&sort=-data.on')
    assert.deepEqual([isFiltered(state), isFiltered(cleared)], [true, false])
  })

  test('is replaced by a saved view', () => {
    const opened = changeUrlState(state, openView(state, 'q=bob&missing=true'))
    assert.equal(viewQueryOf(opened), 'missing=true&q=bob')
  })

  test('contains the sort order of the URL', () => {
    assert.deepEqual(sortOf(state), { by: 'data.on', descending: true })
    assert.deepEqual(sortOf({}), { by: 'updated_at', descending: true })
    assert.equal(textOfSort({ by: 'data.on', descending: false }), 'data.on')
  })
})

describe('the export URL', () => {
  const options = {
    format: 'csv',
    columns: ['hub_reference_number', 'a,b'],
    labels: true,
    bom: true,
    gzip: true,
  }

  test('contains the filters of the list and the options of the format', () => {
    const { searchParams } = new URL(exportAddress(state, options), 'http://hub')
    assert.equal(searchParams.get('filter[status]'), 'open')
    assert.deepEqual(searchParams.getAll('columns'), ['hub_reference_number', 'a,b'])
    assert.deepEqual(
      ['header', 'bom', 'gzip', 'cursor', 'record'].map((name) => searchParams.get(name)),
      ['label', 'true', 'true', null, null],
    )
  })

  test('omits options that the format rejects', () => {
    for (const format of ['xlsx', 'ndjson', 'json']) {
      const names = [
        ...new URL(exportAddress({}, { ...options, format }), 'http://hub').searchParams.keys(),
      ]
      const expected =
        format === 'xlsx' ? ['format', 'header', 'columns', 'columns'] : ['format', 'gzip']
      assert.deepEqual(names, expected)
    }
  })
})
