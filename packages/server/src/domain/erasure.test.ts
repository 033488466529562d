import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createHashReference, namesRecord, pseudonymOf, referencesIn } from './erasure.ts'

const record = { record_type: 'cases', reference_number: 'R-1' }
const names = (body: unknown, reference = 'R-1') => namesRecord(JSON.stringify(body), reference)

describe('what names a record in a refused body', () => {
  test('its reference does, as a member, however the body is wrapped', () => {
    for (const body of [
      { reference_number: 'R-1' },
      { record_type: 'cases', reference_number: 'R-1', data: 'none' },
      { record_type: 7, reference_number: 'R-1' },
      { record: { reference_number: 'R-1' } },
      [{ reference_number: 'R-2' }, { reference_number: 'R-1' }],
      { referenceNumber: 'R-1' },
      { 'R-1': { full_name: 'Ann' } },
      'R-1',
    ]) {
      assert.equal(names(body), true, JSON.stringify(body))
    }
  })

  test('a reference sent as a number does, other numbers do not', () => {
    assert.equal(names({ reference_number: 7 }, '7'), true)
    assert.equal(names({ record_type: 'cases', data: { amount: 7 } }, '7'), false)
    const large = '9007199254740993'
    assert.equal(namesRecord('{"reference_number":9007199254740993}', large), true)
    assert.equal(namesRecord('{"reference_number":9007199254740992}', large), false)
  })

  test('a part of another reference does not', () => {
    assert.equal(names({ reference_number: 'R-11' }), false)
    assert.equal(names({ reference_number: 'r-1' }), false)
  })

  test('what is no JSON, or nested too deeply to be looked through, may name any', () => {
    assert.equal(referencesIn('{"a":'), null)
    assert.equal(namesRecord('{"a":', 'R-1'), true)
    const depth = 100_000
    const deep = '['.repeat(depth) + ']'.repeat(depth)
    assert.doesNotThrow(() => namesRecord(deep, 'R-1'))
  })

  test('whatever the body, it does exactly where the reference stands in it', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('R-1'))
    fc.assert(
      fc.property(plain, fc.array(fc.string()), (at, keys) => {
        assert.equal(names(at), false)
        const wrapped = keys.reduce<unknown>((inner, key) => [{ [key]: inner }, at], {
          reference_number: 'R-1',
          at,
        })
        assert.equal(names(wrapped), true)
      }),
    )
  })
})

describe('the hash of a reference', () => {
  const place = { platform_name: 'school', ...record }

  test('differs for every other place, key and reference, and where one ends and the next begins', () => {
    const hash = createHashReference(Buffer.from('a key'))
    const other = createHashReference(Buffer.from('another key'))
    const hashes = [
      hash(place),
      other(place),
      hash({ ...place, platform_name: 'clinic' }),
      hash({ ...place, record_type: 'visits' }),
      hash({ ...place, reference_number: 'R-2' }),
      hash({ platform_name: 'school","cases', record_type: 'R-1', reference_number: '' }),
    ]
    assert.equal(new Set(hashes).size, hashes.length)
    assert.equal(hash(place), hash({ ...place }))
  })

  test('a pseudonym tells records apart and does not hold the reference', () => {
    const hash = createHashReference(Buffer.from('a key'))(place)
    assert.notEqual(pseudonymOf(1, hash), pseudonymOf(2, hash))
    assert.doesNotMatch(pseudonymOf(1, hash), /R-1/)
  })
})
