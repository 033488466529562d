import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PUSH_RETRY_RULES } from '@recordhub/protocol/push-retry'
import { fc } from '../../server/test/helpers/random/fast-check.ts'
import { classifyResponse, retryAfterMs, type SendResult } from './classify-response.ts'
import { backoffDelay } from './push-client.ts'

const response = (status: number, body: object | null, delayMs = 0): SendResult => ({
  responded: true,
  url: 'https://hub.example.org/api/webhook/receive',
  status,
  body: body && { ...body },
  retryAfterMs: delayMs,
})
const stored = { success: true, record_id: 7, outcome: 'updated', message: 'Record updated' }
const rejected = { success: false, code: 'invalid_record', message: 'No.', errors: { data: ['x'] } }

test('a push counts as stored only after a success response of the hub', () => {
  assert.deepEqual(classifyResponse(response(201, { ...stored, warnings: ['w', 1] })), {
    outcome: 'stored',
    recordId: 7,
    effect: 'updated',
    warnings: ['w'],
  })
  const others = [null, {}, { success: true }, { success: false, record_id: 7 }, [stored]]
  for (const body of others) {
    const result = classifyResponse(response(200, body))
    assert.ok(result.outcome === 'retryable' && result.requiresAction, JSON.stringify(body))
  }
})

test('a push is rejected permanently after 400, 405, 410, 413, 415 and 422, whichever server sent the response', () => {
  for (const status of [400, 405, 410, 413, 415, 422]) {
    const result = classifyResponse(response(status, rejected))
    assert.deepEqual(result, {
      outcome: 'rejected',
      status,
      code: 'invalid_record',
      message: 'No.',
      errors: { data: ['x'] },
    })
    const byProxy = classifyResponse(response(status, null))
    const message = PUSH_RETRY_RULES[status]?.meaning
    assert.deepEqual(byProxy, { outcome: 'rejected', status, code: '', message, errors: {} })
  }
})

test('a push is retried after every other error', () => {
  for (const status of [408, 425, 429, 500, 501, 502, 503, 504, 521]) {
    const result = classifyResponse(response(status, rejected, 2000))
    assert.ok(
      result.outcome === 'retryable' && !result.requiresAction && result.minDelayMs === 2000,
    )
  }
  for (const status of [301, 401, 403, 404, 409]) {
    const result = classifyResponse(response(status, rejected))
    assert.ok(result.outcome === 'retryable' && result.requiresAction, String(status))
  }
  assert.equal(classifyResponse({ responded: false, reason: 'disconnected' }).outcome, 'retryable')
})

test('retry delays grow to one minute, are jittered and never shorter than Retry-After', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e9 }),
      fc.float({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const delay = backoffDelay(failures, 0, random)
        assert.ok(delay >= 250 && delay <= 60_000)
        assert.ok(backoffDelay(failures + 1, 0, random) >= delay)
        assert.ok(backoffDelay(failures, 5000, random) > 5000)
      },
    ),
  )
  assert.equal(backoffDelay(1, 0, 0), 250)
  assert.equal(backoffDelay(1, 0, 1), 500)
  assert.equal(backoffDelay(50, 0, 1), 60_000)
  const result = classifyResponse(response(503, rejected, 1e12))
  assert.ok(result.outcome === 'retryable' && result.minDelayMs === 3_600_000)
})

test('Retry-After is read as seconds, or as a date relative to the Date header', () => {
  const read = (headers: Record<string, string>) => retryAfterMs(new Headers(headers))
  const date = 'Sat, 21 Nov 2026 07:30:00 GMT'
  assert.equal(read({}), 0)
  assert.equal(read({ 'Retry-After': ' 7 ' }), 7000)
  assert.equal(read({ 'Retry-After': '-7' }), 0)
  assert.equal(read({ 'Retry-After': 'soon', Date: date }), 0)
  assert.equal(read({ 'Retry-After': 'Sat, 21 Nov 2026 07:30:09 GMT', Date: date }), 9000)
  assert.equal(read({ 'Retry-After': 'Sat, 21 Nov 2026 07:29:00 GMT', Date: date }), 0)
  assert.equal(read({ 'Retry-After': date }), 0)
})
