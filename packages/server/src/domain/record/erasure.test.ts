import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { createHashReference, findReferences, mayContainReference, pseudonymOf } from './erasure.ts'

const record = { record_type: 'cases', reference_number: 'R-1' }
const names = (body: unknown, reference = 'R-1') =>
  mayContainReference(JSON.stringify(body), reference)

describe('finding a record in a rejected body', () => {
  test('matches the reference in any member at any depth', () => {
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

  test('matches a reference sent as a number, but no other numbers', () => {
    assert.equal(names({ reference_number: 7 }, '7'), true)
    assert.equal(names({ record_type: 'cases', data: { amount: 7 } }, '7'), false)
    const large = '9007199254740993'
    assert.equal(mayContainReference('{"reference_number":9007199254740993}', large), true)
    assert.equal(mayContainReference('{"reference_number":9007199254740992}', large), false)
  })

  test('does not match part of another reference', () => {
    assert.equal(names({ reference_number: 'R-11' }), false)
    assert.equal(names({ reference_number: 'r-1' }), false)
  })

  test('matches invalid JSON, and does not fail on deep nesting', () => {
    assert.equal(findReferences('{"a":'), null)
    assert.equal(mayContainReference('{"a":', 'R-1'), true)
    const depth = 100_000
    const deep = '['.repeat(depth) + ']'.repeat(depth)
    assert.doesNotThrow(() => mayContainReference(deep, 'R-1'))
  })

  test('matches exactly the bodies that contain the reference', () => {
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
  const reference = { first_name: 'school', ...record }

  test('differs for each key, platform, module and reference, and at their boundaries', () => {
    const hash = createHashReference(Buffer.from('a key'))
    const other = createHashReference(Buffer.from('another key'))
    const hashes = [
      hash(reference),
      other(reference),
      hash({ ...reference, first_name: 'clinic' }),
      hash({ ...reference, record_type: 'visits' }),
      hash({ ...reference, reference_number: 'R-2' }),
      hash({ first_name: 'school","cases', record_type: 'R-1', reference_number: '' }),
    ]
    assert.equal(new Set(hashes).size, hashes.length)
    assert.equal(hash(reference), hash({ ...reference }))
  })

  test('gives a pseudonym that is unique per record and does not contain the reference', () => {
    const hash = createHashReference(Buffer.from('a key'))(reference)
    assert.notEqual(pseudonymOf(1, hash), pseudonymOf(2, hash))
    assert.doesNotMatch(pseudonymOf(1, hash), /R-1/)
  })
})
