import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoint, fc } from '../../server/test/helpers/random/fast-check.ts'
import { EACH, formatPath, parsePath, valuesAt } from './data-path.ts'
import { parseLossless } from './lossless-json.ts'
import { summarizeValue } from './summarize-value.ts'

const key = fc.string({ unit: fc.oneof(codePoint, fc.constantFrom(...'.[]\\')), maxLength: 8 })

test('a written path is read as the same steps', () => {
  fc.assert(
    fc.property(key, fc.array(fc.oneof(key, fc.constant(EACH))), (first, rest) => {
      const steps = [first, ...rest]
      assert.deepEqual(parsePath(formatPath(steps)).steps, steps)
    }),
  )
})

test('a path leads through objects and into lists, and a key that is the whole text comes first', () => {
  const data = parseLossless(
    '{"a":{"b":{"c":1.10},"x.y":2,"":3},"l":[{"r":"x"},{"r":["y","z"]},{},7,null],"a.b.c":"own","a.b":null,"n":1.10}',
  )
  for (const [path, expected] of [
    ['a.b.c', '["own"]'],
    ['\\a.b.c', '[1.10]'],
    ['a.x\\.y', '[2]'],
    ['a.x.y', '[]'],
    ['a.', '[3]'],
    ['a.b', '[null]'],
    ['l[].r', '["x",["y","z"]]'],
    ['l[].r[]', '["y","z"]'],
    ['l[]', '[{"r":"x"},{"r":["y","z"]},{},7,null]'],
    ['l.r', '[]'],
    ['l.length', '[]'],
    ['n.rawJSON', '[]'],
    ['toString', '[]'],
    ['a.__proto__', '[]'],
  ] as const) {
    assert.equal(JSON.stringify(valuesAt(data, parsePath(path))), expected, path)
  }
})

test('the summary of a nested value is one line', () => {
  const textOf = (value: unknown) => (value === null ? null : String(value))
  for (const [value, expected] of [
    [
      { place: { placeName: 'Barcelona', country: 'España' }, year: 1893 },
      'Barcelona, España · 1893',
    ],
    [[{ name: 'A' }, { name: 'B' }, { name: 'C' }], '3 contributors'],
    [[{ name: 'A', role: null }], 'A'],
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c, d, +1'],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5 }, '1 · 2 · 3 · 4 · …'],
    [{ made: [{}, {}] }, '2 made'],
    [{ a: { b: null } }, null],
    [[], null],
    ['', null],
    [0, '0'],
  ] as const) {
    assert.equal(summarizeValue(value, 'contributors', textOf), expected)
  }
})
