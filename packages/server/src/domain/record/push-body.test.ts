import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { withText } from './json-text.ts'
import { type Checked, checkPush, checkPushBody, PushBody, type PushInput } from './record-input.ts'

const NOW = new Date('2026-11-21T08:00:00Z')
const PUSH = {
  module_name: 'Employees',
  record_type: 'employee',
  reference_number: 'E-1',
  full_name: '王',
  data: { a: 1 },
  occurred_at: '2026-11-21T07:30:00Z',
}

function parse(bytes: Buffer) {
  return parseLossless(bytes.toString())
}

function failToParse(): never {
  throw new Error('The body was parsed')
}

/** A result without functions, and with its data as text. */
function describe(checked: Checked<PushInput>) {
  if (checked.outcome === 'invalid') return checked
  const { members, ...input } = checked.input
  const mismatches = (['text', 'number', 'boolean', 'date', 'any'] as const).map((kind) =>
    members.keys.map((_, position) => members.findMismatch(position, kind)),
  )
  return { ...withText(input), keys: members.keys, mismatches }
}

test('a push is validated from its bytes as it is validated after parsing', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      'a/b',
      'a\\/b',
      '',
      'r-1',
      'é"\\\n',
      '\u0000',
      '2026-11-21T07:30:00Z',
      'x'.repeat(513),
      [],
      {},
    ),
  )
  const member = <Good>(good: Good) =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: value })
  const body = fc.record(
    {
      module_name: member(PUSH.module_name),
      record_type: member(PUSH.record_type),
      reference_number: member(PUSH.reference_number),
      full_name: member(PUSH.full_name),
      data: fc.oneof(value, fc.dictionary(fc.string(), value)),
      occurred_at: member(PUSH.occurred_at),
      other: value,
    },
    { requiredKeys: ['record_type', 'reference_number'] },
  )
  const method = fc.constantFrom('POST' as const, 'PATCH' as const)
  fc.assert(
    fc.property(body, method, fc.constantFrom(0, 1), fc.boolean(), (one, verb, spaces, isPhp) => {
      const written = JSON.stringify(one, null, spaces)
      const text = isPhp ? written.replaceAll('/', '\\/') : written
      const checked = checkPushBody(verb, new PushBody(Buffer.from(text), parse), NOW)
      assert.deepEqual(describe(checked), describe(checkPush(verb, parseLossless(text), NOW)))
    }),
    { numRuns: 1000 },
  )
})

test('a valid push in the stored form is not parsed', () => {
  const { module_name: _, full_name: __, occurred_at: ___, ...changed } = PUSH
  for (const [method, push] of [
    ['POST', PUSH],
    ['PATCH', PUSH],
    ['PATCH', changed],
  ] as const) {
    const body = new PushBody(Buffer.from(JSON.stringify(push)), failToParse)
    assert.equal(checkPushBody(method, body, NOW).outcome, 'valid')
    assert.deepEqual(body.value, push)
  }
})

test('a body that is not in the stored form is parsed before it is used', () => {
  for (const text of ['', 'null', '[]', '{"a": 1}', '{"a":1,"a":2}', '{"__proto__":1}']) {
    assert.throws(() => new PushBody(Buffer.from(text), failToParse), /was parsed/, text)
  }
})
