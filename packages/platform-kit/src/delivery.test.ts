import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PUSH_RETRY_RULES } from '@recordhub/protocol/push-retry'
import { fc } from '../../server/test/helpers/random/fast-check.ts'
import { type Again, judgeSending, retryAfterMs, type SendResult, waitAfter } from './delivery.ts'

const answered = (status: number, body: object | null, asked = 0): SendResult => ({
  answered: true,
  status,
  body: body && { ...body },
  retryAfterMs: asked,
})
const stored = { success: true, record_id: 7, outcome: 'updated', message: 'Record updated' }
const refused = { success: false, code: 'invalid_record', message: 'No.', errors: { data: ['x'] } }

test('a push counts as stored only if the response of the hub says so', () => {
  assert.deepEqual(judgeSending(answered(201, { ...stored, warnings: ['w', 1] })), {
    outcome: 'stored',
    recordId: 7,
    effect: 'updated',
    warnings: ['w'],
  })
  const others = [null, {}, { success: true }, { success: false, record_id: 7 }, [stored]]
  for (const body of others) {
    const judged = judgeSending(answered(200, body))
    assert.ok(judged.outcome === 'again' && judged.needsPeople, JSON.stringify(body))
  }
})

test('a push is given up after 400, 410, 413, 415 and 422, whoever sent the response', () => {
  for (const status of [400, 410, 413, 415, 422]) {
    const judged = judgeSending(answered(status, refused))
    assert.deepEqual(judged, {
      outcome: 'refused',
      status,
      code: 'invalid_record',
      message: 'No.',
      errors: { data: ['x'] },
    })
    const byProxy = judgeSending(answered(status, null))
    const message = PUSH_RETRY_RULES[status]?.meaning
    assert.deepEqual(byProxy, { outcome: 'refused', status, code: '', message, errors: {} })
  }
})

test('a push is kept and retried after every other error', () => {
  for (const status of [408, 425, 429, 500, 501, 502, 503, 504, 521]) {
    const judged = judgeSending(answered(status, refused, 2000))
    assert.ok(judged.outcome === 'again' && !judged.needsPeople && judged.leastMs === 2000)
  }
  for (const status of [301, 401, 403, 404, 405, 409]) {
    const judged = judgeSending(answered(status, refused))
    assert.ok(judged.outcome === 'again' && judged.needsPeople, String(status))
  }
  assert.equal(judgeSending({ answered: false, reason: 'gone' }).outcome, 'again')
})

test('retry delays grow to one minute, are jittered and never shorter than Retry-After', () => {
  const again: Again = { outcome: 'again', reason: '', leastMs: 0, needsPeople: false }
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e9 }),
      fc.float({ min: 0, max: 1, noNaN: true }),
      (n, r) => {
        const wait = waitAfter(again, n, r)
        assert.ok(wait >= 250 && wait <= 60_000)
        assert.ok(waitAfter(again, n + 1, r) >= wait)
        assert.ok(waitAfter({ ...again, leastMs: 5000 }, n, r) > 5000)
      },
    ),
  )
  assert.equal(waitAfter(again, 1, 0), 250)
  assert.equal(waitAfter(again, 1, 1), 500)
  assert.equal(waitAfter(again, 50, 1), 60_000)
  const judged = judgeSending(answered(503, refused, 1e12))
  assert.ok(judged.outcome === 'again' && judged.leastMs === 3_600_000)
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
