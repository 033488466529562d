import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  canBeMissing,
  exceedsMissingThreshold,
  graceStart,
  isCompleteRead,
  needsSecondRead,
  type OpenReview,
  validateMissing,
} from './missing.ts'

const WHOLE = { unnamed: 0, pages: 1 }

test('only a complete read can prove that records are missing', () => {
  assert.equal(isCompleteRead(WHOLE, { total: null, received: 5 }), true)
  assert.equal(isCompleteRead(WHOLE, { total: 5, received: 5 }), true)
  assert.equal(isCompleteRead(WHOLE, { total: 0, received: 0 }), true)
  assert.equal(isCompleteRead(WHOLE, { total: 6, received: 5 }), false)
  assert.equal(isCompleteRead(WHOLE, { total: 4, received: 5 }), false)
  assert.equal(isCompleteRead({ ...WHOLE, unnamed: 1 }, { total: 5, received: 5 }), false)
  // A 304 response contains no records.
  assert.equal(isCompleteRead({ ...WHOLE, pages: 0 }, { total: null, received: 0 }), false)
})

test('a read proves a record missing only if it began long enough after the last push of the record', () => {
  const read = { mark: 10, pushed_until: graceStart('2026-11-21T08:05:00.000000000Z', 300) }
  const cases: [number, string | null, boolean][] = [
    [0, null, true],
    [10, '2026-11-21T08:00:00.000000000Z', true],
    [10, '2026-11-21T08:00:00.001000000Z', false],
    // Pushed after the read began, by a node whose clock is behind.
    [11, '2026-11-21T07:00:00.000000000Z', false],
  ]
  for (const [pushed_seq, pushed_at, expected] of cases) {
    assert.equal(canBeMissing({ pushed_seq, pushed_at }, read), expected, `${pushed_at}`)
  }
})

test('only a read of several pages needs a second read', () => {
  assert.deepEqual(
    [1, 2, 30].map((pages) => needsSecondRead({ pages })),
    [false, true, true],
  )
})

test('the missing threshold is exceeded above its share of a module and from ten records', () => {
  const cases: [number, number, number, boolean][] = [
    [9, 9, 20, false],
    [10, 10, 20, true],
    [10, 50, 20, false],
    [10, 49, 20, true],
    [11, 50, 20, true],
    [200, 1000, 20, false],
    [201, 1000, 20, true],
    [1000, 1000, 100, false],
    [9, 9, 0, false],
    [10, 1_000_000, 0, true],
  ]
  for (const [missing, records, fuse, expected] of cases) {
    const says = `${missing} of ${records} at ${fuse} %`
    assert.equal(exceedsMissingThreshold({ missing, records }, fuse), expected, says)
  }
})

const set = (missing: number, fingerprint = 'these') => ({ missing, records: 1000, fingerprint })
const open = (state: OpenReview['state'], missing = 300): OpenReview => ({
  review_id: 1,
  state,
  ...set(missing),
})
const mark = (close: 'marked' | 'settled' | null) => ({ verdict: 'mark', close })
const hold = (ask: 'anew' | 'update' | null) => ({ verdict: 'hold', ask })

test('below the threshold all records are marked, and an open review is settled', () => {
  assert.deepEqual(validateMissing(set(0), null, 20), mark(null))
  assert.deepEqual(validateMissing(set(200), null, 20), mark(null))
  for (const state of ['pending', 'dismissed'] as const) {
    assert.deepEqual(validateMissing(set(0), open(state), 20), mark('settled'))
    assert.deepEqual(validateMissing(set(200), open(state), 20), mark('settled'))
  }
  assert.deepEqual(validateMissing(set(0), open('approved'), 20), mark('settled'))
  assert.deepEqual(validateMissing(set(200), open('approved'), 20), mark('marked'))
})

test('above the threshold a review is requested, and again if many more are missing', () => {
  assert.deepEqual(validateMissing(set(201), null, 20), hold('anew'))
  assert.deepEqual(validateMissing(set(300), open('pending'), 20), hold(null))
  assert.deepEqual(validateMissing(set(501), open('pending'), 20), hold('anew'))
})

test('a pending review follows the records that are missing in the last read', () => {
  for (const missing of [250, 300, 500]) {
    assert.deepEqual(validateMissing(set(missing, 'others'), open('pending'), 20), hold('update'))
  }
})

test('an approval covers the reviewed number plus what the threshold allows', () => {
  for (const missing of [250, 300, 500]) {
    assert.deepEqual(validateMissing(set(missing), open('approved'), 20), mark('marked'))
  }
  assert.deepEqual(validateMissing(set(501), open('approved'), 20), hold('anew'))
})

test('a dismissal covers only the same records', () => {
  assert.deepEqual(validateMissing(set(300), open('dismissed'), 20), hold(null))
  assert.deepEqual(validateMissing(set(300, 'others'), open('dismissed'), 20), hold('anew'))
  assert.deepEqual(validateMissing(set(299, 'fewer'), open('dismissed'), 20), hold('anew'))
})
