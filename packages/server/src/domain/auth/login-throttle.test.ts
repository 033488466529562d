import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import {
  countGuess,
  FORGOTTEN_SECONDS,
  type GuessCount,
  type GuessKind,
  isNotable,
  waitBeforeGuess,
} from './login-throttle.ts'

const NOW = new Date('2026-03-10T08:00:00.000Z')
const none = { person: null, place: null, account: null }
const tried = (tries: number, secondsAgo = 0): GuessCount => ({
  tries,
  at: new Date(NOW.getTime() - secondsAgo * 1000).toISOString(),
})
const wait = (counts: Partial<typeof none> | object, kind: GuessKind, isKnownDevice = false) =>
  waitBeforeGuess({ ...none, ...counts }, { kind, isKnownDevice }, NOW)

test('five attempts are free, then the wait doubles up to 15 minutes', () => {
  for (const kind of ['password', 'code', 'confirmation'] as const) {
    const waits = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 500].map((tries) =>
      wait({ person: tried(tries) }, kind),
    )
    assert.deepEqual(waits, [0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900])
  }
  assert.equal(wait({ person: tried(6, 59) }, 'password'), 1)
  assert.equal(wait({ person: tried(6, 60) }, 'password'), 0)
})

test('a clock that was set far back causes no wait', () => {
  for (const kind of ['password', 'code', 'confirmation'] as const) {
    assert.equal(wait({ person: tried(9999, -3600), place: tried(9999, -3600) }, kind), 0)
    assert.equal(wait({ person: tried(5, -2) }, kind), 28, 'clocks of nodes differ slightly')
  }
})

test('attempts at many accounts delay an address, but not a trusted device', () => {
  assert.equal(wait({ place: tried(29) }, 'password'), 0)
  assert.equal(wait({ place: tried(30) }, 'password'), 30)
  assert.equal(wait({ place: tried(9999), account: tried(9999) }, 'password', true), 0)
  assert.equal(wait({ place: tried(9999), account: tried(9999) }, 'code', true), 0)
  assert.equal(wait({ person: tried(5) }, 'password', true), 30)
})

test('an account under attack still accepts its password from a new address at once', () => {
  fc.assert(
    fc.property(fc.nat(), (tries) => {
      assert.equal(wait({ account: tried(tries) }, 'password'), 0)
      assert.equal(wait({ account: tried(100), person: tried(1) }, 'password'), 30)
      assert.equal(wait({ account: tried(tries) }, 'code') > 0, tries >= 100)
    }),
  )
})

test('no wait exceeds 15 minutes, and attempts are forgotten after one day', () => {
  const count = fc.option(
    fc.record({ tries: fc.nat(), secondsAgo: fc.integer({ min: -1e6, max: 1e6 }) }),
  )
  const toCount = (one: { tries: number; secondsAgo: number } | null) =>
    one && tried(one.tries, one.secondsAgo)
  fc.assert(
    fc.property(count, count, count, fc.boolean(), (person, place, account, isKnownDevice) => {
      const counts = {
        person: toCount(person),
        place: toCount(place),
        account: toCount(account),
      }
      for (const kind of ['password', 'code', 'confirmation'] as const) {
        const seconds = waitBeforeGuess(counts, { kind, isKnownDevice }, NOW)
        assert.ok(seconds >= 0 && seconds <= 900)
        const later = new Date(NOW.getTime() + (1e6 + FORGOTTEN_SECONDS) * 1000)
        assert.equal(waitBeforeGuess(counts, { kind, isKnownDevice }, later), 0)
      }
    }),
  )
  assert.deepEqual(countGuess(tried(7, FORGOTTEN_SECONDS), NOW), tried(1))
  assert.deepEqual(countGuess(tried(7, FORGOTTEN_SECONDS - 1), NOW), tried(8))
  assert.deepEqual(countGuess(null, NOW), tried(1))
})

test('a million attempts make twenty audit log entries', () => {
  const notable = Array.from({ length: 1_000_000 }, (_, index) => index + 1).filter((tries) =>
    isNotable({ tries, at: '' }),
  )
  assert.equal(notable.length, 20)
})
