import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePath, valuesAt } from '@recordhub/protocol/data-path'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { createFacetCounter, createPathCollector, describePaths } from './data-values.ts'

const field = (key: string, label: string) => ({ key, label, type: 'string', required: false })

function collect(texts: string[]) {
  const collector = createPathCollector()
  for (const text of texts) collector.add(parseLossless(text))
  return collector.list()
}

test('the paths of records have their types, counts and examples, and are described by the manifest', () => {
  const found = collect([
    '{"x":1.10,"made":{"on":"1947-05-01","in":"Seefeld"},"by":[{"name":"A","role":null},{"name":"B"}],"tags":["a","b",7]}',
    '{"x":"","made":{"on":"soon"},"by":[],"tags":null,"yes":true,"a.b":"own","a":{"b":1}}',
  ])
  const described = describePaths(found.paths, [
    field('none', 'None'),
    field('tags', ''),
    field('a.b', 'Own'),
  ])
  assert.equal(found.isWhole, true)
  const shown = described.map(({ path, parent, label, types, records, distinct, examples }) =>
    [path, parent, label, types.join(), records, distinct, examples.join()].join(' | '),
  )
  assert.deepEqual(shown, [
    'none |  | None |  | 0 | 0 | ',
    'tags |  | tags | list | 1 |  | ',
    'tags[] | tags |  | text,number | 1 | 3 | a,b,7',
    'a\\.b |  | Own | text | 1 | 1 | own',
    'x |  |  | number | 1 | 1 | 1.10',
    'made |  |  | object | 2 |  | ',
    'made.on | made |  | date,text | 2 | 2 | 1947-05-01,soon',
    'made.in | made |  | text | 1 | 1 | Seefeld',
    'by |  |  | list | 2 |  | ',
    'by[].name | by |  | text | 1 | 2 | A,B',
    'by[].role | by |  |  | 0 | 0 | ',
    'yes |  |  | boolean | 1 | 1 | true',
    'a |  |  | object | 1 |  | ',
    '\\a.b | a |  | number | 1 | 1 | 1',
  ])
  const data = parseLossless('{"a.b":"own","a":{"b":1}}')
  assert.deepEqual(valuesAt(data, parsePath('\\a.b')), [1])
})

test('the paths of records with very many or very long keys are not all listed', () => {
  const keys = Array.from({ length: 1200 }, (_, n) => `"k${n}":${n}`)
  const many = collect([`{${keys.join()}}`])
  assert.deepEqual([many.paths.length, many.isWhole], [1000, false])
  const long = 'x'.repeat(200)
  const nested = collect([`{"${long}":{"${long}":1}}`])
  assert.deepEqual([nested.paths.length, nested.isWhole], [1, false])
  const deep = collect([`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`])
  assert.deepEqual([deep.paths.length, deep.isWhole], [12, false])
})

test('a facet counts each record once per value, and has no values if there are too many', () => {
  const count = (path: string, texts: string[]) => {
    const counter = createFacetCounter(parsePath(path))
    for (const text of texts) counter.add(parseLossless(text))
    const { values, empty } = counter.count()
    return [values?.map(({ value, records }) => `${value} ${records}`).join() ?? null, empty]
  }
  const records = [
    '{"r":[{"k":"a"},{"k":"a"},{"k":"b"}]}',
    '{"r":[{"k":"b"},{"k":""}]}',
    '{"r":[{}]}',
  ]
  assert.deepEqual(count('r[].k', records), ['b 2,a 1', 1])
  assert.deepEqual(count('n', ['{"n":1.0}', '{"n":1}', '{"n":"1"}', '{"n":null}']), [
    '1 2,1.0 1',
    1,
  ])
  const many = Array.from({ length: 51 }, (_, n) => `{"n":${n}}`)
  assert.equal(count('n', many.slice(1))[0]?.toString().split(',').length, 50)
  assert.deepEqual(count('n', [...many, '{}']), [null, 1])
  for (const value of [`"${'x'.repeat(257)}"`, '{}', '[]']) {
    assert.deepEqual(count('n', ['{"n":1}', `{"n":${value}}`, '{"n":""}']), [null, 1], value)
  }
})
