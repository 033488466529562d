import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../server/test/helpers/random/fast-check.ts'
import { rounds } from '../../server/test/helpers/time/tier.ts'
import {
  canonicalText,
  findUnsafeJson,
  isEqualJson,
  isJsonObject,
  JsonSyntaxError,
  parseJson,
  parseLossless,
  parseNumber,
  stringifyLossless,
} from './lossless-json.ts'

const digits = (min: number, max: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
    .map((list) => list.join(''))

/** Any number token that the grammar of JSON allows. */
const numberToken = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(1, 25).map((text) => text.replace(/^0+/, '') || '0'),
    ),
    fc.oneof(
      fc.constant(''),
      digits(1, 25).map((text) => `.${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(1, 3))
        .map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''))

test('every number token is written as it was read, wherever it occurs', () => {
  fc.assert(
    fc.property(numberToken, (token) => {
      for (const text of [token, `[${token},1]`, `{"a":${token}}`, `{"a":[1,${token}]}`]) {
        assert.equal(stringifyLossless(parseLossless(text)), text)
      }
    }),
    { numRuns: rounds(500, 2000) },
  )
})

test('the output of JSON.stringify is reproduced exactly', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      assert.equal(stringifyLossless(parseLossless(text)), text)
    }),
  )
})

test('keys with escapes are read correctly, whatever keys came before', () => {
  // JSON.parse of V8 reads the keys of the second text as ["h", "\\"]:
  // https://github.com/nodejs/node/issues/63785
  parseLossless('{"h":[],"\\\\":0}')
  assert.deepEqual(Object.keys(Object(parseLossless('{"h":1,"\\"":2}'))), ['h', '"'])
  const key = fc.string({
    unit: fc.constantFrom('a', 'b', '\\', '"', '\n', '\ue000', '\ud800', '1'),
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.oneof(key, fc.nat())), { maxLength: 6 }), (pairs) => {
      const text = `{${pairs.map(([name, value]) => `${JSON.stringify(name)} :[${JSON.stringify(value)}]`).join(',')}}`
      const value = parseLossless(text)
      assert.ok(isJsonObject(value))
      const expected = new Map(pairs)
      assert.deepEqual(new Set(Object.keys(value)), new Set(expected.keys()))
      for (const [name, member] of expected) assert.deepEqual(value[name], [member])
    }),
    { numRuns: rounds(500, 2000) },
  )
})

test('the last of several equal keys wins, however each is written', () => {
  for (const [text, last] of [
    ['{"a":1,"\\u0061":2,"a":3}', '{"a":3}'],
    ['{"a":1,"a":3,"\\u0061":2}', '{"a":2}'],
    ['{"\\n":1,"\\u000a":2}', '{"\\n":2}'],
  ] as const) {
    assert.equal(stringifyLossless(parseLossless(text)), last)
  }
})

test('an invalid or endlessly nested text is rejected in linear time', () => {
  for (const text of [
    `{"${'\\"'.repeat(300_000)}`,
    '\\'.repeat(600_000),
    '{"a\\x":1}',
    '{"a\\":1',
  ]) {
    assert.throws(() => parseLossless(text), SyntaxError)
  }
  const nested = '['.repeat(400_000) + ']'.repeat(400_000)
  assert.throws(() => parseLossless(`{"a\\n":1.10,"b":${nested}}`), SyntaxError)
})

test('invalid JSON is rejected with the position of the error', () => {
  for (const [text, position] of [
    ['', 1],
    ['{', 2],
    ['[1,]', 4],
    ['{"a"}', 5],
    ['{"a":1.10,}', 11],
    ['"a', 1],
    ['01', 2],
    ['[1.10 2]', 7],
    ['nul', 1],
    ['+1', 1],
    ['.5', 1],
    ['["\\x"]', 2],
    ['{"a":1.10', 10],
  ] as const) {
    const isExpected = (error: unknown) =>
      error instanceof JsonSyntaxError && error.position === position
    assert.throws(() => parseLossless(text), isExpected, text)
  }
})

test('the error of NaN and Infinity, which some languages write, says what to send', () => {
  for (const token of ['NaN', 'Infinity', '-Infinity']) {
    const message = `it contains ${token} at position 6, which JSON does not have; send null`
    assert.throws(() => parseLossless(`{"a":${token}}`), { message })
  }
})

test('both parsers read the same values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 1)
      // The escaped key selects our own parser.
      assert.deepEqual(parseLossless(`{"\\n":${text}}`), { '\n': JSON.parse(text) })
    }),
  )
})

test('other raw numbers can be chosen', () => {
  const toRaw = (token: string) => new URL(`number:${token}`)
  assert.deepEqual(parseJson('[1.10,2]', toRaw), [toRaw('1.10'), 2])
})

test('only tokens that JSON allows are numbers', () => {
  for (const text of ['NaN', 'Infinity', '', ' 1', '007', '1.', '.5', '0x10', '1_000', '1.10x']) {
    assert.equal(parseNumber(text), null, text)
  }
  assert.equal(
    JSON.stringify(['-0', '1e2', '9007199254740993', '5'].map(parseNumber)),
    '[-0,1e2,9007199254740993,5]',
  )
})

test('null characters and lone surrogates are preserved', () => {
  const text = '{"a":"\\u0000","\\ud800":"\\udfff x"}'
  assert.equal(stringifyLossless(parseLossless(text)), text)
})

test('the canonical text does not depend on the order of keys', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 6 }), (pairs) => {
      const forward = Object.fromEntries(pairs)
      const keys = Object.keys(forward)
      const text = (order: string[]) =>
        canonicalText(
          parseLossless(
            JSON.stringify(Object.fromEntries(order.map((key) => [key, forward[key]]))),
          ),
        )
      assert.equal(text(keys), text(keys.toReversed()))
    }),
  )
})

test('the canonical text distinguishes 1 from 1.0, and null from a missing key', () => {
  const canonical = (text: string) => canonicalText(parseLossless(text))
  assert.notEqual(canonical('{"a":1}'), canonical('{"a":1.0}'))
  assert.notEqual(canonical('{"a":null}'), canonical('{}'))
  assert.equal(canonical('{"b":1,"a":{"d":2,"c":3}}'), '{"a":{"c":3,"d":2},"b":1}')
})

test('two values are equal exactly if their canonical texts are', () => {
  const atom = fc.constantFrom('0', '1', '1.0', '1e2', '"a"', 'null', 'false', '[]', '{}', '"1.0"')
  const { value: json } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
      fc
        .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', '1', 'length'), tie('value')), {
          ...{ maxLength: 3, selector: ([key]) => key },
        })
        .map((members) => `{${members.map(([key, text]) => `"${key}":${text}`).join()}}`),
    ),
  }))
  fc.assert(
    fc.property(json, json, (one, other) => {
      const [left, right] = [parseLossless(one), parseLossless(other)]
      assert.equal(isEqualJson(left, right), canonicalText(left) === canonicalText(right))
      const sorted = parseLossless(canonicalText(left))
      assert.ok(isEqualJson(left, sorted) && isEqualJson(sorted, left))
    }),
  )
})

test('a raw number is not an object', () => {
  const value = parseLossless('{"data":1.10}')
  assert.ok(isJsonObject(value))
  assert.equal(isJsonObject(value['data']), false)
})

test('the nesting level is counted from the value itself', () => {
  const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  assert.equal(findUnsafeJson(nested(64), 64), null)
  assert.equal(findUnsafeJson(nested(65), 64), 'too_deep')
})

test('a __proto__ key is detected at any depth, however it is written', () => {
  for (const text of ['{"__proto__":1}', '{"a":[{"__pro\\u0074o__":{}}]}']) {
    assert.equal(findUnsafeJson(JSON.parse(text), 64), 'proto_key')
  }
  assert.equal(findUnsafeJson(JSON.parse('{"a":"__proto__"}'), 64), null)
})

test('a long run of digits inside a string is scanned in linear time', () => {
  const text = JSON.stringify({ a: `${'1'.repeat(1_000_000)}x`, b: '.1'.repeat(300_000) })
  assert.equal(stringifyLossless(parseLossless(text)), text)
})
