import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findUnsafeJson,
  isJsonObject,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { rounds } from '../../../test/helpers/time/tier.ts'
import { decodeJson } from './json-array-scanner.ts'
import { type ScannedMembers, type ScannedObject, StoredFormScanner } from './stored-form.ts'

const MAX_DEPTH = 5

function createScanner(): StoredFormScanner {
  return new StoredFormScanner({ maxDepth: MAX_DEPTH, maxNumberLength: 40, innerKey: 'data' })
}

const scanner = createScanner()

/** Scans a text between other bytes, with a scanner that has scanned other texts before. */
function scan(text: string | Uint8Array): ScannedObject | null {
  const bytes = Buffer.concat([Buffer.from('{"a'), Buffer.from(text), Buffer.from('":1}')])
  return scanner.scan(bytes, 3, bytes.length - 4)
}

/** The values of scanned members by their keys. `start` is the position of the text in the scanned bytes. */
function textsOf(text: Uint8Array, { keys, starts, ends }: ScannedMembers, start = 3) {
  assert.equal(starts.length, keys.length)
  assert.equal(ends.length, keys.length)
  return keys.map((key, position) => {
    const from = (starts[position] ?? 0) - start
    return [key, decodeJson(text.subarray(from, (ends[position] ?? 0) - start))]
  })
}

function expectedTexts(value: unknown) {
  assert.ok(isJsonObject(value))
  return Object.entries(value).map(([key, member]) => [key, stringifyLossless(member)])
}

/** Checks the result for any bytes: the members that the parser finds, or null. */
function assertCorrect(bytes: Uint8Array): ScannedObject | null {
  const scanned = scan(bytes)
  if (!scanned) return null
  const text = decodeJson(bytes)
  const value = parseLossless(text)
  assert.equal(stringifyLossless(value), text)
  assert.equal(findUnsafeJson(value, MAX_DEPTH), null)
  assert.deepEqual(textsOf(bytes, scanned.members), expectedTexts(value))
  const data = isJsonObject(value) ? value['data'] : undefined
  assert.equal(scanned.inner !== null, isJsonObject(data))
  if (scanned.inner) assert.deepEqual(textsOf(bytes, scanned.inner), expectedTexts(data))
  return scanned
}

const key = fc.oneof(
  fc.constantFrom('data', 'a', 'b', 'c', 'é', '王', '__proto__', '0', '10', '01', '4294967295', ''),
  fc.string({ maxLength: 3, unit: codePoint }),
)
const string = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 8 }),
  fc.string({
    maxLength: 5,
    unit: fc.constantFrom(
      '"',
      '\\',
      '/',
      '\n',
      '\u0000',
      '\u001f',
      'ü',
      '😀',
      '\ud800',
      '\u007f',
      '\u2028',
    ),
  }),
)
const numberToken = fc.constantFrom(
  '0',
  '-0',
  '1.10',
  '1e2',
  '-12.5E+3',
  '9007199254740993',
  '1e999',
  '7',
)
const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    string.map((text) => JSON.stringify(text)),
    numberToken,
    fc.constantFrom('null', 'true', 'false'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 5 })
    .map(
      (members) =>
        `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`,
    ),
}))
const record = fc
  .tuple(object, object)
  .map(([outer, data]) =>
    outer === '{}' ? `{"data":${data}}` : `{"data":${data},${outer.slice(1)}`,
  )
const text = fc.oneof(object, record)

/** Replaces, inserts or removes bytes. */
const edits = fc.array(
  fc.tuple(
    fc.nat({ max: 200 }),
    fc.nat({ max: 2 }),
    fc
      .oneof(fc.constantFrom(...Buffer.from(' "\\{}[]:,0-.eEu/\n')), fc.nat({ max: 255 }))
      .map((byte) => [byte]),
  ),
  { minLength: 1, maxLength: 3 },
)

test('a scanned text is exactly what parsing and writing it gives, with the same members', () => {
  fc.assert(
    fc.property(text, (one) => {
      assertCorrect(Buffer.from(one))
    }),
    { numRuns: rounds(100, 3000) },
  )
})

test('after any edit of its bytes, a text is still read as the parser reads it, or not at all', () => {
  fc.assert(
    fc.property(text, edits, (one, changes) => {
      let bytes = [...Buffer.from(one)]
      for (const [at, removed, inserted] of changes) {
        bytes = bytes.toSpliced(at % (bytes.length + 1), removed, ...inserted)
      }
      assertCorrect(Uint8Array.from(bytes))
    }),
    { numRuns: rounds(100, 5000) },
  )
})

test('every ordinary text in the stored form is scanned', () => {
  const ordinaryKey = fc
    .string({ unit: 'grapheme', maxLength: 4 })
    .filter((name) => JSON.stringify(name) === `"${name}"` && !/^\d+$|^__proto__$/.test(name))
  const value = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })
  fc.assert(
    fc.property(fc.dictionary(ordinaryKey, value), (one) => {
      const written = JSON.stringify(one)
      const hasUnusualKey = (part: unknown): boolean =>
        typeof part === 'object' &&
        part !== null &&
        Object.entries(part).some(
          ([name, member]) =>
            (!Array.isArray(part) &&
              (/^\d+$|^__proto__$/.test(name) || JSON.stringify(name) !== `"${name}"`)) ||
            hasUnusualKey(member),
        )
      fc.pre(!hasUnusualKey(one))
      assert.notEqual(assertCorrect(Buffer.from(written)), null, written)
    }),
    { numRuns: rounds(80, 1000) },
  )
})

test('texts that are not in the stored form are not scanned', () => {
  for (const one of [
    ...['', '{', '}', '[]', '"a"', '1', 'null', '{}}', '{} ', ' {}'],
    ...['{"a": 1}', '{"a" :1}', '{ "a":1}', '{"a":1 }', '{"a":[1, 2]}', '{"a":1,}', '{,"a":1}'],
    ...[
      '{"a":1,"a":2}',
      '{"a":{"b":1,"c":2,"b":3}}',
      '{"1":1}',
      '{"a":1,"0":2}',
      '{"4294967294":1}',
    ],
    ...['{"__proto__":1}', '{"a":[{"__proto__":1}]}', '{"\\u0061":1}', '{"a\\n":1}'],
    ...['{"a":"\\/"}', '{"a":"\\u00e9"}', '{"a":"\\u000A"}', '{"a":"\\u000a"}', '{"a":"\\u0008"}'],
    ...['{"a":"\\u001F"}', '{"a":"\\u0020"}', '{"a":"\\x"}', '{"a":"\n"}', '{"a":"\\"}'],
    ...['{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":1.}', '{"a":1e}', '{"a":-}', '{"a":1e+}'],
    ...[
      '{"a":nul}',
      '{"a":nulll}',
      '{"a":True}',
      '{"a":}',
      '{"a"}',
      '{a:1}',
      '{"a":1]',
      '{"a":[1}}',
    ],
    ...['{"a":[[[[[]]]]]}', '{"a":{"a":{"a":{"a":{"a":{}}}}}}'],
  ]) {
    assert.equal(scan(one), null, one)
  }
  assert.equal(scan(Uint8Array.of(...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}'))), null)
  assert.equal(scan(Uint8Array.of(...Buffer.from('{"'), 0xc3, ...Buffer.from('":1}'))), null)
})

test('escape sequences of JSON.stringify, numbers of any form and nested values are scanned', () => {
  for (const one of [
    ...['{}', '{"data":{}}', '{"data":[]}', '{"a":[],"b":{},"c":[{},[]]}', '{"a":[[[[]]]]}'],
    ...['{"a":"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u000b\\u001f\\u007f"}'.replace('\\u007f', '\u007f')],
    ...['{"a":[0,-0,10,1.10,1e2,1E-2,-1.5e+3,9007199254740993]}', '{"a":[null,true,false,""]}'],
    ...['{"é":"王小明 👩‍🚀","z":1,"a":"/"}', '{"01":1,"1a":2,"-1":3,"1.5":4}'],
  ]) {
    assert.notEqual(assertCorrect(Buffer.from(one)), null, one)
  }
})

test('the keys of earlier texts do not change the result', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
      const used = createScanner()
      for (const one of texts) {
        const bytes = Buffer.from(one)
        assert.deepEqual(
          describe(used.scan(bytes, 0, bytes.length)),
          describe(createScanner().scan(bytes, 0, bytes.length)),
        )
      }
    }),
    { numRuns: rounds(100, 500) },
  )
})

function describe(scanned: ScannedObject | null) {
  const list = (members: ScannedMembers | null) =>
    members && [members.keys, members.starts, members.ends]
  return scanned && [list(scanned.members), list(scanned.inner)]
}

test('the members of an object after one of many more keys, or before it, are its own', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`k${key}`, key]))
  for (const data of [many, { a: 1 }, {}, many]) {
    for (const text of [{ data }, { ...many, data }, { data, b: 2 }].map(stringifyLossless)) {
      assert.ok(assertCorrect(Buffer.from(text)), text)
    }
  }
})

test('a scanned key does not depend on bytes that are overwritten later', () => {
  const bytes = Buffer.from('{"first":1}')
  const scanned = scanner.scan(bytes, 0, bytes.length)
  bytes.write('{"other":1}')
  assert.deepEqual(scanned?.members.keys, ['first'])
  assert.deepEqual(scanner.scan(bytes, 0, bytes.length)?.members.keys, ['other'])
})

test('thousands of different keys are scanned, and duplicates among them are found', () => {
  for (let number = 0; number < 6000; number++) {
    const members = `"k${number}":1,"m":{"n${number % 700}":2}`
    assert.notEqual(assertCorrect(Buffer.from(`{${members}}`)), null)
    if (number % 500 === 0) assert.equal(scan(`{${members},"k${number}":1}`), null)
  }
})

test('an object of very many keys is left to the parser', () => {
  const members = (count: number) =>
    `{${Array.from({ length: count }, (_, number) => `"k${number}":1`).join(',')}}`
  assert.notEqual(assertCorrect(Buffer.from(members(100))), null)
  assert.equal(scan(members(10_000)), null)
})

test('an object with a very long key is left to the parser, so that keys take little memory', () => {
  const text = (length: number) => `{"${'k'.repeat(length)}":1}`
  assert.notEqual(assertCorrect(Buffer.from(text(256))), null)
  assert.equal(scan(text(257)), null)
})
