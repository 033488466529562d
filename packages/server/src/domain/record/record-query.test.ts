import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ParsedQuery, parseRecordQuery } from './record-query.ts'

function parse(query: string): ParsedQuery {
  return parseRecordQuery(new URLSearchParams(query))
}

function read(query: string) {
  const parsed = parse(query)
  assert.ok(parsed.ok, JSON.stringify(parsed))
  return parsed.query
}

test('an empty query lists everything, with the latest change first', () => {
  const { sort, descending, conditions, ...rest } = read('')
  assert.deepEqual([sort, descending, conditions], ['updated_at', true, []])
  assert.deepEqual(new Set(Object.values(rest)), new Set([null]))
})

test('every parameter is read', () => {
  const query = read(
    'platform=school&record_type=students&reference_number=R 1&q=Ann Li&incomplete=true&missing=false' +
      '&missing_review=7&changed_since=2026-11-21T08:30:00%2B01:00&sort=-data.grade.level',
  )
  assert.deepEqual(query, {
    platform: 'school',
    record_type: 'students',
    reference_number: 'R 1',
    search: ['ann', 'li'],
    incomplete: true,
    missing: false,
    missing_review: 7,
    changed_since: '2026-11-21T07:30:00.000Z',
    conditions: [],
    sort: 'data.grade.level',
    descending: true,
  })
})

test('a filter names a field or a hub column, and an operation', () => {
  assert.deepEqual(
    read(
      'filter[status]=open&filter[created_at][after]=2026&filter[hub_created_at][before]=2027' +
        '&filter[data.hub_full_name][empty]=true&filter[a[b]][contains]=x&filter[data.data.x]=',
    ).conditions,
    [
      { column: 'data.status', test: 'is', value: 'open' },
      { column: 'data.created_at', test: 'after', value: '2026' },
      { column: 'hub_created_at', test: 'before', value: '2027' },
      { column: 'data.hub_full_name', test: 'empty', value: 'true' },
      { column: 'data.a[b]', test: 'contains', value: 'x' },
      { column: 'data.data.x', test: 'is', value: '' },
    ],
  )
})

test('a leap second is accepted as a time', () => {
  assert.equal(read('changed_since=2016-12-31T23:59:60Z').changed_since, '2016-12-31T23:59:59.000Z')
})

test('a time is a day, or has minutes and a zone', () => {
  assert.equal(read('changed_since=2026-11-21').changed_since, '2026-11-21T00:00:00.000Z')
  const { changed_since } = read('changed_since=2026-11-25T08:19-09:00')
  assert.equal(changed_since, '2026-11-25T17:19:00.000Z')
})

test('a value that does not have the kind of its column is reported by the name of its filter', () => {
  const kinds = new Map([
    ['data.n', 'number'],
    ['data.on', 'date'],
    ['data.yes', 'boolean'],
  ] as const)
  const errorsOf = (filter: string, value: string) => {
    const parsed = parse(new URLSearchParams([[filter, value]]).toString())
    assert.ok(parsed.ok, filter)
    return Object.keys(parsed.checkValues(kinds))
  }
  const valid: [string, readonly string[]][] = [
    ['filter[n]', ['12', '-1.50', '1e3', ' 7 ']],
    ['filter[on][after]', ['2026-11-25', '2026-11-25 08:19', '2026-11-25T08:19:00.123456-09:00']],
    ['filter[hub_created_at]', ['2026-11-25', '2026-11-25T08:19-09:00', '2026-11-25t08:19:00z']],
    ['filter[yes][is]', ['true', 'false']],
    ['filter[n][contains]', ['abc']],
    ['filter[on][starts]', ['2026']],
    ['filter[on][empty]', ['true']],
    ['filter[text][after]', ['yesterday', '']],
  ]
  for (const [name, values] of valid) {
    for (const value of values) assert.deepEqual(errorsOf(name, value), [], `${name} ${value}`)
  }
  const invalid: [string, readonly string[]][] = [
    ['filter[n]', ['1,000', '12,5', 'abc', '', '1e9999999', '0x10', '+5', '.5', 'NaN', '٣']],
    ['filter[data.n][before]', ['1 000']],
    [
      'filter[on][after]',
      ['yesterday', '', '2026', '2026-02-30', '2026-11-25T25:00Z', '11/25/2026'],
    ],
    ['filter[hub_updated_at][before]', ['2026-11-25T08:19', '2026-11-25 24:01Z', '-09:00']],
    ['filter[yes]', ['yes', '1', 'TRUE']],
    ['filter[text][empty]', ['maybe']],
  ]
  for (const [name, values] of invalid) {
    for (const value of values) assert.deepEqual(errorsOf(name, value), [name], `${name} ${value}`)
  }
})

test('an invalid parameter is reported by its name', () => {
  const many = Array.from({ length: 21 }, (_, n) => `filter[f${n}]=1`).join('&')
  for (const [query, name] of [
    ['unknown=1', 'unknown'],
    ['missing_review=0', 'missing_review'],
    ['__proto__=1', '__proto__'],
    ['filter=1', 'filter'],
    ['filter[]=1', 'filter[]'],
    ['filter[a][like]=1', 'filter[a][like]'],
    ['q=a&q=b', 'q'],
    ['sort=relevance', 'sort'],
    ['q=a&sort=-relevance', 'sort'],
    [`filter[${'k'.repeat(257)}]=1`, `filter[${'k'.repeat(257)}]`],
    [`filter[a]=${'v'.repeat(1025)}`, 'filter[a]'],
    [many, 'filter[f20]'],
    ['sort=nothing', 'sort'],
    ['sort=data.', 'sort'],
    ['sort=--record_id', 'sort'],
    ['sort=record_id&sort=record_id', 'sort'],
    ['incomplete=1', 'incomplete'],
    ['missing=', 'missing'],
    ['changed_since=yesterday', 'changed_since'],
    ['changed_since=2026-11-21T07:30', 'changed_since'],
    ['changed_since=9999-12-31T23:59-12:00', 'changed_since'],
    ['changed_since=2026-02-30T00:00:00Z', 'changed_since'],
    [`q=${'x'.repeat(257)}`, 'q'],
    ['platform=a%00', 'platform'],
  ] as const) {
    const parsed = parse(query)
    assert.ok(!parsed.ok, query.slice(0, 50))
    assert.deepEqual(Object.keys(parsed.errors), [name])
  }
})
