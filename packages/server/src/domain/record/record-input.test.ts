import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { findKindMismatch } from './field-types.ts'
import {
  checkPulled,
  checkPush,
  formatErrors,
  recordTypeOf,
  referenceOf,
  scanPulled,
} from './record-input.ts'

const now = new Date('2026-11-21T08:00:00Z')
const good = {
  module_name: 'Employees',
  record_type: 'employee',
  reference_number: 'E-1',
  full_name: 'Ann',
  data: { a: 1 },
}

function errorsOf(method: 'POST' | 'PATCH', body: unknown): Record<string, string[]> {
  const checked = checkPush(method, body, now)
  assert.equal(checked.outcome, 'invalid')
  return checked.outcome === 'invalid' ? checked.errors : {}
}

test('a POST requires every member, and a PATCH may omit the names', () => {
  assert.deepEqual(errorsOf('POST', {}), {
    module_name: ['is required'],
    full_name: ['is required'],
    record_type: ['is required'],
    reference_number: ['is required'],
    data: ['is required'],
  })
  const { module_name: _, full_name: __, ...changed } = good
  assert.equal(checkPush('PATCH', changed, now).outcome, 'valid')
  assert.deepEqual(Object.keys(errorsOf('PATCH', {})), ['record_type', 'reference_number', 'data'])
})

test('wrong types are reported and never coerced', () => {
  const cases: [object, Record<string, string[]>][] = [
    [{ reference_number: 5 }, { reference_number: ['must be a string'] }],
    [{ reference_number: '' }, { reference_number: ['must not be empty'] }],
    [{ record_type: 'é'.repeat(257) }, { record_type: ['must not be longer than 512 bytes'] }],
    [
      { reference_number: 'é'.repeat(257) },
      { reference_number: ['must not be longer than 512 bytes'] },
    ],
    [{ full_name: null }, { full_name: ['must be a string'] }],
    [{ data: null }, { data: ['must be an object'] }],
    [{ data: 'x' }, { data: ['must be an object'] }],
    [{ data: [1] }, { data: ['must be an object'] }],
    [{ data: parseLossless('1.10') }, { data: ['must be an object'] }],
    [
      { reference_number: 'a\u0000' },
      { reference_number: ['must not contain a null character or an unpaired surrogate'] },
    ],
    [
      { full_name: '\ud800' },
      { full_name: ['must not contain a null character or an unpaired surrogate'] },
    ],
    [
      { occurred_at: 'yesterday' },
      { occurred_at: ['must be an RFC 3339 date-time such as 2026-11-21T07:30:00Z'] },
    ],
    [{ occurred_at: 5 }, { occurred_at: ['must be a string'] }],
  ]
  for (const [change, errors] of cases) {
    assert.deepEqual(errorsOf('POST', { ...good, ...change }), errors)
  }
  for (const body of [null, [], 'text', 5]) {
    assert.deepEqual(errorsOf('POST', body), { record: ['must be a JSON object'] })
  }
})

test('an empty array counts as an empty object, since PHP encodes it that way', () => {
  const checked = checkPush('POST', { ...good, data: [] }, now)
  assert.equal(checked.outcome === 'valid' && checked.input.data, '{}')
})

test('other members and any Unicode text are accepted', () => {
  const body = {
    ...good,
    full_name: '王小明 👩‍🚀',
    reference_number: ' ÄÖ ',
    extra: { deep: true },
  }
  const checked = checkPush('POST', body, now)
  assert.equal(checked.outcome === 'valid' && checked.input.reference_number, ' ÄÖ ')
})

test('a time too far in the future is ignored with a warning', () => {
  const near = checkPush('POST', { ...good, occurred_at: '2026-11-21T08:04:59Z' }, now)
  assert.equal(near.outcome === 'valid' && near.input.occurred_at, '2026-11-21T08:04:59.000000000Z')
  const far = checkPush('POST', { ...good, occurred_at: '2026-11-21T08:05:01Z' }, now)
  assert.equal(far.outcome === 'valid' && far.input.occurred_at, null)
  assert.equal(far.outcome === 'valid' && far.input.warnings.length, 1)
})

test('a pulled element follows the same rules, and its depth is limited', () => {
  assert.equal(checkPulled({ reference_number: '1', full_name: 'A', data: [] }).outcome, 'valid')
  const deep = JSON.parse(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`)
  const checked = checkPulled({ reference_number: '1', full_name: 'A', data: deep })
  assert.deepEqual(
    checked.outcome === 'invalid' && formatErrors(checked.errors),
    'record is nested deeper than 64 levels',
  )
  const wrong = checkPulled({ reference_number: 1 })
  assert.equal(
    wrong.outcome === 'invalid' && formatErrors(wrong.errors),
    'full_name is required; data is required; reference_number must be a string',
  )
})

test('a pulled element is read from its bytes as it is read after parsing, or not at all', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('', 'r-1', 'é"\\\n', '\u0000', []),
  )
  const element = fc.record(
    {
      reference_number: value,
      full_name: value,
      data: fc.oneof(value, fc.dictionary(fc.string(), value)),
      other: value,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(element, fc.constantFrom(0, 1), (one, spaces) => {
      const text = JSON.stringify(one, null, spaces)
      const bytes = Buffer.from(` ${text},`)
      const scanned = scanPulled(bytes, 1, bytes.length - 1)
      if (!scanned) return
      const checked = checkPulled(parseLossless(text))
      assert.equal(checked.outcome, 'valid')
      if (checked.outcome !== 'valid') return
      const { members: parsed, ...expected } = checked.input
      const { members, ...read } = scanned
      assert.deepEqual({ ...read, data: String(read.data) }, expected)
      assert.deepEqual(members.keys, parsed.keys)
      for (const kind of ['text', 'number', 'boolean', 'date', 'any'] as const) {
        for (const position of parsed.keys.keys()) {
          assert.equal(members.findMismatch(position, kind), parsed.findMismatch(position, kind))
        }
      }
    }),
    { numRuns: 1000 },
  )
})

test('a record in the stored form is read without parsing', () => {
  const scan = (text: string) => scanPulled(Buffer.from(text), 0, Buffer.byteLength(text))
  const reference = (text: string) => `{"reference_number":${text},"full_name":"A","data":{}}`
  assert.equal(scan(reference('"王"'))?.reference_number, '王')
  const found = scan('{"x":1,"data":{"a":1.10},"full_name":"","reference_number":"1"}')
  assert.equal(String(found?.data), '{"a":1.10}')
  for (const text of [
    ...['""', '1', 'null', '"a\\u0000"', '"a\\n"', `"${'é'.repeat(257)}"`].map(reference),
    '{"full_name":"A","data":{}}',
    '{"reference_number":"1","data":{}}',
    '{"reference_number":"1","full_name":null,"data":{}}',
    '{"reference_number":"1","full_name":"A"}',
    '{"reference_number":"1","full_name":"A","data":[]}',
    '{"reference_number":"1","full_name":"A","data":{},"data":{}}',
  ]) {
    assert.equal(scan(text), null, text)
  }
})

test('values that are not parsed have the mismatches of parsed ones', () => {
  const values = [
    'x',
    '2026-11-21',
    '2026-02-30',
    '',
    '12.50',
    '12\n',
    '2026-11-21\t',
    'a "b" \\',
    'é 東京',
    'null',
    5,
    -1,
    true,
    false,
    null,
    [],
    {},
  ]
  const data = Object.fromEntries(values.map((value, index) => [`k${index}`, value]))
  const text = JSON.stringify({ reference_number: '1', full_name: 'A', data })
  const scanned = scanPulled(Buffer.from(text), 0, Buffer.byteLength(text))
  for (const expected of ['text', 'number', 'boolean', 'date', 'any'] as const) {
    for (const [position, value] of values.entries()) {
      const found = scanned?.members.findMismatch(position, expected)
      assert.equal(found, findKindMismatch(parseLossless(JSON.stringify(value)), expected))
    }
  }
})

test('the names and the version of a record do not keep its text in memory', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const readHeap = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const name = 'more than a dozen characters'
  const kept: unknown[] = []
  const before = readHeap()
  for (let number = 0; number < 100; number += 1) {
    const long = 'x'.repeat(100_000)
    // Because of the number 1.10, our own parser reads the text.
    const text = `{"reference_number":"${name}","record_type":"${name}","module_name":"","full_name":"","version":12345678901234567890,"data":{"a":1.10,"b":"${long}"}}`
    // Each is read from a text of its own.
    const read = () => parseLossless(text.replace('x', String(number % 10)))
    kept.push(referenceOf(read()), recordTypeOf(read()))
    for (const checked of [checkPulled(read()), checkPush('POST', read(), now)]) {
      assert.ok(checked.outcome === 'valid')
      const { data: _, members: __, full_name: ___, ...names } = checked.input
      kept.push(names)
    }
  }
  const grown = readHeap() - before
  assert.ok(grown < 2_000_000, `${grown} bytes for ${kept.length} values`)
})
