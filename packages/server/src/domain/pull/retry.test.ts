import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { concernsPlatform, decideRetry, MAX_ATTEMPTS, type RequestFailure } from './retry.ts'

const FIRST = { attempts: 1, left_ms: 900_000, jitter: 1 }

test('a refused connection, 429, 502, 503 and 504 are retried, other failures are not', () => {
  assert.equal(decideRetry({ network: 'refused' }, FIRST).outcome, 'retry')
  for (const status of [429, 502, 503, 504]) {
    assert.equal(decideRetry({ status, retry_after_ms: null }, FIRST).outcome, 'retry')
  }
  for (const status of [200, 304, 400, 401, 404, 408, 500, 501, 505]) {
    assert.equal(decideRetry({ status, retry_after_ms: 0 }, FIRST).outcome, 'give_up')
  }
})

test('a request in place of which something else is read is retried only when the platform says when', () => {
  const context = { ...FIRST, isOptional: true }
  assert.equal(decideRetry({ network: 'refused' }, context).outcome, 'give_up')
  assert.equal(decideRetry({ network: 'closed' }, context).outcome, 'retry')
  assert.equal(decideRetry({ status: 503, retry_after_ms: null }, context).outcome, 'give_up')
  assert.equal(decideRetry({ status: 429, retry_after_ms: 500 }, context).outcome, 'retry')
})

test('a request is retried three times, with growing delays', () => {
  const pauses = []
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
    const decision = decideRetry({ status: 503, retry_after_ms: null }, { ...FIRST, attempts })
    pauses.push(decision.outcome === 'retry' ? decision.pause_ms : decision.outcome)
  }
  assert.deepEqual(pauses, [500, 1000, 2000, 'give_up'])
})

test('a request whose connection was closed is sent again once, without a pause', () => {
  const failed = { network: 'closed' } as const
  assert.deepEqual(decideRetry(failed, FIRST), { outcome: 'retry', pause_ms: 0 })
  assert.deepEqual(decideRetry(failed, { ...FIRST, attempts: 2 }), { outcome: 'give_up' })
  assert.deepEqual(decideRetry(failed, { ...FIRST, left_ms: 0 }), { outcome: 'give_up' })
})

test('jitter shortens a growing delay by up to one half', () => {
  const delayAt = (jitter: number) => {
    const attempt = { status: 503, retry_after_ms: null }
    const decision = decideRetry(attempt, { ...FIRST, attempts: 2, jitter })
    return decision.outcome === 'retry' ? decision.pause_ms : null
  }
  assert.deepEqual([0, 0.5, 1].map(delayAt), [500, 750, 1000])
})

test('a Retry-After is used as the delay', () => {
  const decision = decideRetry({ status: 429, retry_after_ms: 7000 }, FIRST)
  assert.deepEqual(decision, { outcome: 'retry', pause_ms: 7000 })
})

test('a request is not retried if Retry-After exceeds the remaining time or one minute', () => {
  const decide = (retry_after_ms: number, left_ms: number) =>
    decideRetry({ status: 503, retry_after_ms }, { ...FIRST, left_ms })
  assert.deepEqual(decide(5001, 5000), { outcome: 'too_long', seconds: 6 })
  assert.deepEqual(decide(60_001, 900_000), { outcome: 'too_long', seconds: 61 })
  assert.deepEqual(decide(5000, 5000), { outcome: 'retry', pause_ms: 5000 })
})

test('no delay exceeds the remaining time', () => {
  fc.assert(
    fc.property(
      fc.record({
        attempts: fc.integer({ min: 1, max: 5 }),
        left_ms: fc.integer({ min: -1000, max: 100_000 }),
        jitter: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      fc.option(fc.nat(200_000)),
      (context, retry_after_ms) => {
        const decision = decideRetry({ status: 503, retry_after_ms }, context)
        if (decision.outcome !== 'retry') return
        assert.ok(decision.pause_ms >= 0 && decision.pause_ms <= context.left_ms)
      },
    ),
  )
})

test('a failure concerns the whole platform if no other endpoint can be expected to respond', () => {
  const table: [RequestFailure, boolean][] = [
    [{ network: 'not_connected' }, true],
    [{ network: 'certificate_invalid' }, true],
    [{ network: 'no_response' }, true],
    [{ network: 'cut_off' }, false],
    [{ status: 401 }, true],
    [{ status: 403 }, true],
    [{ status: 429 }, true],
    [{ status: 503 }, true],
    [{ status: 200 }, false],
    [{ status: 302 }, false],
    [{ status: 400 }, false],
    [{ status: 404 }, false],
    [{ status: 500 }, false],
    [{ status: 502 }, false],
    [{ status: 504 }, false],
  ]
  for (const [failure, expected] of table) {
    assert.equal(concernsPlatform(failure), expected, JSON.stringify(failure))
  }
})
