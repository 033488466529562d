import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { type Factors, hasFactorWithout, requiredSecondFactorStep } from './second-factor.ts'

const NONE: Factors = { second_factor: false, passkeys: 0, single_sign_on: false }
const factors = fc.record({
  second_factor: fc.boolean(),
  passkeys: fc.nat({ max: 3 }),
  single_sign_on: fc.boolean(),
})

test('a session with a password alone may set up a second factor only if there is none', () => {
  assert.equal(requiredSecondFactorStep(NONE, { isStrong: false }), 'set_up')
  for (const one of [{ second_factor: true }, { passkeys: 1 }, { single_sign_on: true }]) {
    assert.equal(requiredSecondFactorStep({ ...NONE, ...one }, { isStrong: false }), 'sign_in')
  }
})

test('a session with strong authentication needs no second factor', () => {
  fc.assert(
    fc.property(factors, (some) => requiredSecondFactorStep(some, { isStrong: true }) === null),
  )
})

test('a factor can be removed only if another one remains', () => {
  fc.assert(
    fc.property(factors, (some) => {
      const { second_factor, passkeys } = some
      if (second_factor) {
        const left = requiredSecondFactorStep(
          { ...some, second_factor: false },
          { isStrong: false },
        )
        assert.equal(hasFactorWithout(some, 'code'), left === 'sign_in')
      }
      if (passkeys > 0) {
        const left = requiredSecondFactorStep(
          { ...some, passkeys: passkeys - 1 },
          { isStrong: false },
        )
        assert.equal(hasFactorWithout(some, 'passkey'), left === 'sign_in')
      }
    }),
  )
})
