import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { createRateLimit } from './rate-limit.ts'

/** A rate limit with a clock that the test sets. */
function startLimit(perSecond: number, startMs = 0) {
  const time = { now: startMs }
  const limit = createRateLimit(perSecond, { now: () => time.now })
  const isAdmitted = (key = 'a') => limit.take(key) === 0
  const countAdmitted = (calls: number, key = 'a') =>
    Array.from({ length: calls }, () => isAdmitted(key)).filter(Boolean).length
  return { time, limit, isAdmitted, countAdmitted }
}

const rates = fc.integer({ min: 1, max: 2000 })
/** Times since the start of the process in milliseconds, with fractions. */
const moments = fc.double({ min: 0, max: 1e10, noNaN: true })

test('a burst at any moment is admitted up to the calls of one second', () => {
  fc.assert(
    fc.property(rates, moments, (rate, startMs) => {
      assert.equal(startLimit(rate, startMs).countAdmitted(rate + 60), rate)
    }),
  )
})

test('under constant demand, the elapsed time and one initial burst are admitted', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(rates, pauses, (rate, waits) => {
      const { time, countAdmitted } = startLimit(rate)
      let admitted = countAdmitted(2 * rate)
      for (const wait of waits) {
        time.now += wait
        admitted += countAdmitted(2 * rate)
      }
      assert.equal(admitted, rate + Math.floor((rate * time.now) / 1000))
    }),
  )
})

test('after a second without calls a full burst is admitted', () => {
  const calls = fc.array(
    fc.tuple(fc.integer({ min: -5000, max: 500 }), fc.integer({ min: 1, max: 20 })),
  )
  fc.assert(
    fc.property(rates, calls, (rate, before) => {
      const { time, countAdmitted } = startLimit(rate)
      for (const [wait, count] of before) {
        time.now += wait
        countAdmitted(count)
      }
      time.now += 1000
      assert.equal(countAdmitted(2 * rate), rate)
    }),
  )
})

test('calls at uneven intervals lose no fraction of a call', () => {
  const { time, countAdmitted } = startLimit(1)
  const admitted = [0, 380, 673, 464, 483].map((wait) => {
    time.now += wait
    return countAdmitted(1)
  })
  assert.deepEqual(admitted, [1, 0, 1, 0, 1])
})

test('a clock that goes back delays no call by more than a second', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 1e9 }), (rate, back) => {
      const { time, limit, countAdmitted } = startLimit(rate)
      countAdmitted(rate)
      time.now -= back
      assert.equal(limit.take('a'), 1)
      time.now += 1000
      assert.equal(countAdmitted(2 * rate), rate)
    }),
  )
})

test('a call that has waited for the returned seconds is admitted', () => {
  fc.assert(
    fc.property(rates, fc.nat(2000), fc.nat(5000), (rate, calls, wait) => {
      const { time, limit, countAdmitted } = startLimit(rate)
      countAdmitted(calls)
      time.now += wait
      countAdmitted(2 * rate)
      time.now += 1000 * limit.take('a')
      assert.equal(limit.take('a'), 0)
    }),
  )
})

test('each key has its own limit, for any number of keys', () => {
  const { countAdmitted } = startLimit(5)
  for (let key = 0; key < 25_000; key++) assert.equal(countAdmitted(1, `key ${key}`), 1)
  assert.equal(countAdmitted(10, 'a'), 5)
  assert.equal(countAdmitted(10, 'b'), 5)
})
