import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { valueText } from '../record/sort-key.ts'
import { listJsonValues } from './json-values.ts'

/** The texts of the values of a parsed document. */
function visit(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(visit)
  if (isJsonObject(value)) return Object.values(value).flatMap(visit)
  return valueText(value) === null ? [] : [valueText(value) ?? '']
}

test('the values are those of the parsed document', () => {
  const key = fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('a"b', 'c\\', ':', '{'))
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(key, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(key, tie('json'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      assert.deepEqual(listJsonValues(text, Infinity).sort(), visit(parseLossless(text)).sort())
    }),
    { numRuns: 500 },
  )
})

test('numbers are returned verbatim, and strings without their escapes', () => {
  const json =
    '{ "a" : [1.10, -1e2 ,9007199254740993,true,null], "b\\"": {"c":"\\u00e9\\\\", "d":""} }'
  assert.deepEqual(listJsonValues(json, Infinity), [
    '1.10',
    '-1e2',
    '9007199254740993',
    'true',
    'é\\',
    '',
  ])
  assert.deepEqual(listJsonValues('"only"', Infinity), ['only'])
  assert.deepEqual(listJsonValues('17', Infinity), ['17'])
})
