import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import {
  type AttemptCount,
  type AttemptCounts,
  addAttempt,
  attemptsBeforeWait,
  EXPIRY_SECONDS,
  isAudited,
  secondsUntilAllowed,
  type ThrottlePolicy,
} from './login-throttle.ts'

const NOW = new Date('2026-03-10T08:00:00.000Z')
const POLICIES = ['password', 'code', 'trusted_device', 'reauthentication'] as const
const failed = (attempts: number, secondsAgo = 0): AttemptCount => ({
  attempts,
  at: new Date(NOW.getTime() - secondsAgo * 1000).toISOString(),
})
const wait = (policy: ThrottlePolicy, counts: AttemptCounts) =>
  secondsUntilAllowed(policy, counts, NOW)

test('five attempts are free, then the wait doubles up to 15 minutes', () => {
  for (const policy of POLICIES) {
    const waits = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 500].map((attempts) =>
      wait(policy, { client: failed(attempts) }),
    )
    assert.deepEqual(waits, [0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900])
  }
  assert.equal(wait('password', { client: failed(6, 59) }), 1)
  assert.equal(wait('password', { client: failed(6, 60) }), 0)
})

test('a clock that was set far back causes no wait', () => {
  for (const policy of POLICIES) {
    assert.equal(wait(policy, { client: failed(9999, -3600), subnet: failed(9999, -3600) }), 0)
    assert.equal(wait(policy, { client: failed(5, -2) }), 28, 'clocks of nodes differ slightly')
  }
})

test('attempts at many accounts delay a subnet, but not a trusted device', () => {
  const flooded = { subnet: failed(9999), account: failed(9999), global: failed(9999) }
  assert.equal(wait('password', { subnet: failed(29) }), 0)
  assert.equal(wait('password', { subnet: failed(30) }), 30)
  assert.equal(wait('trusted_device', flooded), 0)
  assert.equal(wait('reauthentication', flooded), 0)
  assert.equal(wait('trusted_device', { ...flooded, client: failed(5) }), 30)
})

test('attempts from many subnets of an IPv6 /48 delay the /48, but not a trusted device', () => {
  assert.equal(wait('password', { site: failed(119), subnet: failed(1) }), 0)
  assert.equal(wait('password', { site: failed(120), subnet: failed(1) }), 30)
  assert.equal(wait('code', { site: failed(121) }), 60)
  assert.equal(wait('trusted_device', { site: failed(500) }), 0)
})

test('an account under attack still accepts its password from a new address at once', () => {
  fc.assert(
    fc.property(fc.nat(), (attempts) => {
      assert.equal(wait('password', { account: failed(attempts) }), 0)
      assert.equal(wait('password', { account: failed(100), client: failed(1) }), 30)
      assert.equal(wait('code', { account: failed(attempts) }) > 0, attempts >= 100)
    }),
  )
})

test('the announced number of free attempts is that of the fullest bucket, also before an attack', () => {
  const left = (policy: ThrottlePolicy, counts: AttemptCounts) =>
    attemptsBeforeWait(policy, counts, NOW)
  assert.equal(left('password', { client: failed(1), subnet: failed(1) }), 4)
  assert.equal(left('password', { client: failed(1), subnet: failed(29) }), 1)
  assert.equal(left('password', { client: failed(1), account: failed(98) }), 2)
  assert.equal(left('password', { client: failed(1), account: failed(100) }), 0)
  assert.equal(left('trusted_device', { client: failed(1), account: failed(9999) }), 4)
})

test('no wait exceeds 15 minutes, and attempts expire after one day', () => {
  const count = fc.option(
    fc.record({ attempts: fc.nat(), secondsAgo: fc.integer({ min: -1e6, max: 1e6 }) }),
  )
  const toCount = (one: { attempts: number; secondsAgo: number } | null) =>
    one && failed(one.attempts, one.secondsAgo)
  const policies = fc.constantFrom(...POLICIES)
  fc.assert(
    fc.property(count, count, count, policies, (client, subnet, account, policy) => {
      const counts = {
        client: toCount(client),
        subnet: toCount(subnet),
        account: toCount(account),
      }
      const seconds = wait(policy, counts)
      assert.ok(seconds >= 0 && seconds <= 900)
      const later = new Date(NOW.getTime() + (1e6 + EXPIRY_SECONDS) * 1000)
      assert.equal(secondsUntilAllowed(policy, counts, later), 0)
    }),
  )
  assert.deepEqual(addAttempt(failed(7, EXPIRY_SECONDS), NOW), failed(1))
  assert.deepEqual(addAttempt(failed(7, EXPIRY_SECONDS - 1), NOW), failed(8))
  assert.deepEqual(addAttempt(null, NOW), failed(1))
})

test('a million attempts make twenty audit log entries', () => {
  const audited = Array.from({ length: 1_000_000 }, (_, index) => index + 1).filter(isAudited)
  assert.equal(audited.length, 20)
})
