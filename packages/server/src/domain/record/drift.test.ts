import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import {
  describeDrift,
  findDrift as findDriftOfMembers,
  type ManifestKeys,
  rejectDrift,
  toManifestKeys,
} from './drift.ts'
import { toDataInput } from './record-input.ts'

const KEYS = toManifestKeys([
  { key: 'a', type: 'json', required: true },
  { key: 'b', type: 'a type of the platform', required: false },
])
const WHOLE = { isWhole: true }

function findDrift(data: JsonObject, manifest: ManifestKeys, options: { isWhole: boolean }) {
  return findDriftOfMembers(toDataInput(data).members, manifest, options)
}

test('unknown keys and missing required keys are drift', () => {
  assert.equal(findDrift({ a: 1 }, KEYS, WHOLE), null)
  assert.equal(findDrift({ a: null, b: [] }, KEYS, WHOLE), null)
  assert.deepEqual(findDrift({ b: 1, x: 1, constructor: 2 }, KEYS, WHOLE), {
    unknown: ['x', 'constructor'],
    absent: ['a'],
    wrong_type: [],
  })
})

test('a partial update has no missing keys', () => {
  assert.equal(findDrift({ b: 1 }, KEYS, { isWhole: false }), null)
  assert.deepEqual(findDrift({ x: 1 }, KEYS, { isWhole: false }), {
    unknown: ['x'],
    absent: [],
    wrong_type: [],
  })
})

test('a value of another type than the manifest declares is drift', () => {
  const long = parseLossless('12345678901234567890')
  const cases: [string, JsonValue, string | null][] = [
    ['string', 'x', null],
    ['string', null, null],
    ['string', 5, 'a number'],
    ['String', long, 'a number'],
    ['text', true, 'true or false'],
    ['email', ['x'], 'a list'],
    ['string', {}, 'an object'],
    ['integer', 5, null],
    ['integer', long, null],
    ['decimal', '1.50', null],
    ['integer', '', 'a text'],
    ['integer', 'five', 'a text'],
    ['boolean', true, null],
    ['boolean', 1, 'a number'],
    ['date', '2026-11-21', null],
    ['date', 20_261_121, 'a number'],
    ['date', '2026-02-30', 'a text that is not a date'],
    ['Timestamp', '21.11.2026', 'a text that is not a date'],
    ['datetime', '2026-11-21 07:30:00.123456', null],
    ['datetime', '2026-11-21T07:30:00+01:00', null],
    ['date', '', null],
    ['string', 'no date', null],
    ['json', [1], null],
    ['a type of the platform', 1, null],
  ]
  for (const [type, value, found] of cases) {
    const keys = toManifestKeys([{ key: 'a', type, required: false }])
    for (const isWhole of [true, false]) {
      const drift = findDrift({ a: value }, keys, { isWhole })
      const wrong_type = found === null ? null : [{ key: 'a', found, declared: type }]
      assert.deepEqual(drift?.wrong_type ?? null, wrong_type, `${type} ${JSON.stringify(value)}`)
      assert.equal(
        drift && describeDrift(drift)[0],
        found && `has ${found} for the key "a", whose type in the manifest is "${type}"`,
      )
    }
  }
})

test('the drift of a thousand unknown keys is reported in a short text', () => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`.repeat(500), n]))
  const drift = findDrift(data, KEYS, WHOLE)
  assert.equal(drift?.unknown.length, 50)
  const rejected = rejectDrift(drift, 'reject')
  assert.ok(rejected && rejected.reason.length < 20_000)
})

test('only the policy "reject" rejects drift, and it names the keys', () => {
  const drift = findDrift({ x: 1 }, KEYS, WHOLE)
  assert.equal(rejectDrift(drift, 'accept'), null)
  assert.equal(rejectDrift(null, 'reject'), null)
  assert.deepEqual(rejectDrift(drift, 'reject')?.errors, {
    data: [
      'has the key "x", which the manifest does not name',
      'lacks the key "a", which the manifest requires',
    ],
  })
})
