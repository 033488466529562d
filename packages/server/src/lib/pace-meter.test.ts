import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/helpers/random/fast-check.ts'
import { PaceMeter } from './pace-meter.ts'

const LIMITS = { silenceMs: 30_000, windowMs: 60_000, bytesPerSecond: 1024 }

test('a sender is silent after 30 s, in one wait or in several', () => {
  assert.equal(new PaceMeter(LIMITS).note(30_000, 0), 'silent')
  const meter = new PaceMeter(LIMITS)
  assert.equal(meter.note(20_000, 0), null)
  assert.equal(meter.patienceMs, 10_000)
  assert.equal(meter.note(10_000, 0), 'silent')
})

test('a byte per second is not silence, but too slow over a minute', () => {
  const meter = new PaceMeter(LIMITS)
  for (let second = 1; second < 60; second++) assert.equal(meter.note(1000, 1), null)
  assert.equal(meter.note(1000, 1), 'slow')
})

test('1 KiB per second is always fast enough', () => {
  const meter = new PaceMeter(LIMITS)
  for (let second = 0; second < 1000; second++) assert.equal(meter.note(1000, 1024), null)
})

test('the bytes of one minute do not count for the next one', () => {
  const meter = new PaceMeter(LIMITS)
  assert.equal(meter.note(60_000, 10_000_000), null)
  for (let wait = 0; wait < 5; wait++) assert.equal(meter.note(10_000, 10), null)
  assert.equal(meter.note(10_000, 10), 'slow')
})

test('the remaining wait is always positive and never exceeds the silence limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5000), { maxLength: 200 }), (sizes) => {
      const meter = new PaceMeter(LIMITS)
      for (const bytes of sizes) {
        const { patienceMs } = meter
        assert.ok(patienceMs > 0 && patienceMs <= LIMITS.silenceMs)
        if (meter.note(patienceMs, bytes) !== null) return
      }
    }),
  )
})
