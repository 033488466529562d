import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubCallError } from './call-hub.ts'
import {
  errorInPlaceOfData,
  isTemporary,
  isUnavailable,
  retryDelay,
  shouldRetry,
} from './retries.ts'

const error = (status: number, retryAfterSeconds = 0) =>
  new HubCallError(status, null, retryAfterSeconds)

test('temporary errors are retried three times, permanent errors are not', () => {
  for (const status of [0, 429, 502, 503, 504]) {
    const decisions = [0, 1, 2, 3].map((failures) => shouldRetry(failures, error(status)))
    assert.deepEqual(decisions, [true, true, true, false])
  }
  for (const status of [400, 403, 404, 409, 500]) assert.equal(shouldRetry(0, error(status)), false)
  assert.equal(shouldRetry(0, new TypeError('a defect')), false)
})

test('the retry delay grows and is never shorter than Retry-After', () => {
  assert.deepEqual(
    [0, 1, 2].map((failures) => retryDelay(failures, error(429))),
    [1000, 2000, 4000],
  )
  assert.equal(retryDelay(0, error(429, 1)), 1000)
  assert.equal(retryDelay(0, error(503, 5)), 5000)
  assert.equal(retryDelay(20, error(0)), 30_000)
})

test('a request with a Retry-After over 30 seconds is not retried', () => {
  assert.equal(shouldRetry(0, error(429, 30)), true)
  assert.equal(shouldRetry(0, error(429, 31)), false)
})

test('older data stays visible while the hub is unavailable, and is replaced by any other error', () => {
  for (const status of [0, 502, 503, 504]) {
    assert.equal(isUnavailable(error(status)), true)
    assert.equal(errorInPlaceOfData({ data: 'old', error: error(status) }), null)
    const first = error(status)
    assert.equal(errorInPlaceOfData({ data: undefined, error: first }), first)
  }
  const missing = error(404)
  assert.equal(errorInPlaceOfData({ data: 'old', error: missing }), missing)
  assert.equal(errorInPlaceOfData({ data: 'old', error: null }), null)
  assert.equal(isUnavailable(error(429)), false)
  assert.deepEqual(
    [429, 503, 404].map((status) => isTemporary(error(status))),
    [true, true, false],
  )
})
