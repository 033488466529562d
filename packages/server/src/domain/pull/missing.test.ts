import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  canBeMissing,
  classifyRead,
  exceedsMissingThreshold,
  type MissingPlan,
  type MissingSurvey,
  needsSecondRead,
  type OpenReview,
  planMissing,
  pushLimits,
} from './missing.ts'

const WHOLE = {
  error: null,
  reportsSuccess: true,
  coverage: { unidentified: 0, pages: 1 },
  total: 5,
  received: 5,
}

test('only a complete read can prove that records are missing', () => {
  assert.equal(classifyRead(WHOLE), 'complete')
  assert.equal(classifyRead({ ...WHOLE, total: null }), 'complete')
  assert.equal(classifyRead({ ...WHOLE, total: 0, received: 0 }), 'complete')
  assert.equal(classifyRead({ ...WHOLE, total: 6 }), 'incomplete')
  assert.equal(classifyRead({ ...WHOLE, total: 4 }), 'incomplete')
  assert.equal(classifyRead({ ...WHOLE, coverage: { unidentified: 1, pages: 1 } }), 'incomplete')
  assert.equal(classifyRead({ ...WHOLE, reportsSuccess: false }), 'incomplete')
  assert.equal(classifyRead({ ...WHOLE, error: new Error('cut off') }), 'incomplete')
})

test('a 304 response marks nothing, and its read is decided', () => {
  const read = { ...WHOLE, coverage: { unidentified: 0, pages: 0 }, total: null, received: 0 }
  assert.equal(classifyRead(read), 'not_modified')
  assert.equal(classifyRead({ ...read, error: new Error('cut off') }), 'incomplete')
  assert.deepEqual(planMissing('not_modified', 20), {
    decision: 'nothing',
    review: 'none',
    candidates: null,
    isDecided: true,
    isVerified: true,
  })
})

test('an incomplete read marks nothing, and deletes the candidates of the previous read', () => {
  assert.deepEqual(planMissing('incomplete', 20), {
    decision: 'nothing',
    review: 'none',
    candidates: [],
    isDecided: false,
    isVerified: false,
  })
})

test('a read proves a record missing only if it began long enough after the last push of the record', () => {
  const requested_at = '2026-11-21T08:05:00.000000000Z'
  const read = { snapshotSeq: 10, ...pushLimits(requested_at, 300) }
  const cases: [number, string | null, boolean][] = [
    [0, null, true],
    [10, '2026-11-21T08:00:00.000000000Z', true],
    [10, '2026-11-21T08:00:00.001000000Z', false],
    [10, '2026-11-21T08:06:00.000000000Z', false],
    // Pushed before the read began, while the clock was ahead.
    [10, '2026-11-21T11:00:00.000000000Z', true],
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
  for (const [missing, records, threshold, expected] of cases) {
    const name = `${missing} of ${records} at ${threshold} %`
    assert.equal(exceedsMissingThreshold({ missing, records }, threshold), expected, name)
  }
})

const set = (missing: number, fingerprint = 'these') => ({ missing, records: 1000, fingerprint })
const open = (state: OpenReview['state'], missing = 300): OpenReview => ({
  review_id: 1,
  state,
  ...set(missing),
})
const surveyOf = (over: Partial<MissingSurvey>): MissingSurvey => ({
  found: set(0),
  absent: null,
  unconfirmed: 0,
  undecided: 0,
  review: null,
  hasCandidates: false,
  ...over,
})

/** The decision about missing records and their review, at a missing threshold of 20 %. */
function decide(found: MissingSurvey['found'], review: OpenReview | null) {
  const plan = planMissing(surveyOf({ found, review }), 20)
  return { decision: plan.decision, review: plan.review }
}
const mark = (close: 'marked' | 'resolved' | null) => ({
  decision: 'mark',
  review: close === null ? 'none' : { close },
})
const needsReview = (review: MissingPlan['review']) => ({ decision: 'needs_review', review })

test('below the threshold all records are marked, and an open review is closed', () => {
  assert.deepEqual(decide(set(0), null), mark(null))
  assert.deepEqual(decide(set(200), null), mark(null))
  for (const state of ['pending', 'dismissed'] as const) {
    assert.deepEqual(decide(set(0), open(state)), mark('resolved'))
    assert.deepEqual(decide(set(200), open(state)), mark('resolved'))
  }
  assert.deepEqual(decide(set(0), open('approved')), mark('resolved'))
  assert.deepEqual(decide(set(200), open('approved')), mark('marked'))
})

test('above the threshold a review is created, and again if many more are missing', () => {
  assert.deepEqual(decide(set(201), null), needsReview('create'))
  assert.deepEqual(decide(set(300), open('pending')), needsReview('none'))
  assert.deepEqual(decide(set(501), open('pending')), needsReview('create'))
})

test('a pending review follows the records that are missing in the last read', () => {
  for (const missing of [250, 300, 500]) {
    assert.deepEqual(decide(set(missing, 'others'), open('pending')), needsReview('update'))
  }
})

test('an approval covers the number of reviewed records plus the number that the threshold allows', () => {
  for (const missing of [250, 300, 500]) {
    assert.deepEqual(decide(set(missing), open('approved')), mark('marked'))
  }
  assert.deepEqual(decide(set(501), open('approved')), needsReview('create'))
})

test('a dismissal covers only the same records', () => {
  assert.deepEqual(decide(set(300), open('dismissed')), needsReview('none'))
  assert.deepEqual(decide(set(300, 'others'), open('dismissed')), needsReview('create'))
  assert.deepEqual(decide(set(299, 'fewer'), open('dismissed')), needsReview('create'))
})

test('the records of buckets that were not read completely count as missing against the threshold', () => {
  const decideOf = (missing: number, unread: number, review: OpenReview | null = null) => {
    const survey = surveyOf({ found: set(missing), review })
    const plan = planMissing(survey, 20, { complete: ['a'], unread })
    return [plan.decision, plan.review, plan.isVerified]
  }
  assert.deepEqual(decideOf(150, 0), ['mark', 'none', true])
  assert.deepEqual(decideOf(150, 50), ['mark', 'none', false])
  assert.deepEqual(decideOf(150, 51), ['nothing', 'none', false])
  assert.deepEqual(decideOf(201, 0), ['needs_review', 'create', false])
  assert.deepEqual(decideOf(201, 1), ['nothing', 'none', false])
})

test('a read of buckets changes a review as a read of the list, and marks records if it was dismissed', () => {
  const decideOf = (found: MissingSurvey['found'], review: OpenReview, unread = 0) => {
    const plan = planMissing(surveyOf({ found, review }), 20, { complete: ['a'], unread })
    return { decision: plan.decision, review: plan.review }
  }
  const nothing = { decision: 'nothing', review: 'none' }
  assert.deepEqual(decideOf(set(300), open('dismissed')), needsReview('none'))
  assert.deepEqual(decideOf(set(301, 'others'), open('dismissed')), needsReview('create'))
  assert.deepEqual(decideOf(set(301, 'others'), open('dismissed'), 1), nothing)
  assert.deepEqual(decideOf(set(5), open('dismissed')), mark('resolved'))
  assert.deepEqual(decideOf(set(301, 'others'), open('pending')), needsReview('update'))
  assert.deepEqual(decideOf(set(5), open('pending')), nothing)
  assert.deepEqual(decideOf(set(300), open('approved')), nothing)
})

test('a read of several pages saves its absent records as candidates', () => {
  const candidatesOf = (over: Partial<MissingSurvey>) => planMissing(surveyOf(over), 20).candidates
  assert.deepEqual(candidatesOf({ absent: [4, 7] }), [4, 7])
  assert.deepEqual(candidatesOf({ absent: [], hasCandidates: true }), [])
  assert.deepEqual(candidatesOf({ hasCandidates: true }), [], 'a read of one page needs none')
  assert.equal(candidatesOf({}), null)
})

test('a read is decided when it decides about every absent record', () => {
  const isDecided = (over: Partial<MissingSurvey>) => planMissing(surveyOf(over), 20).isDecided
  assert.equal(isDecided({ found: set(5) }), true)
  assert.equal(isDecided({ found: set(5), unconfirmed: 1 }), false)
  assert.equal(isDecided({ found: set(5), undecided: 1 }), false)
  assert.equal(isDecided({ found: set(300) }), false)
})

test('a read verifies a module although records were pushed too late for it', () => {
  const isVerified = (over: Partial<MissingSurvey>) => planMissing(surveyOf(over), 20).isVerified
  assert.equal(isVerified({ found: set(5), undecided: 1 }), true)
  assert.equal(isVerified({ found: set(5), unconfirmed: 1 }), false)
  assert.equal(isVerified({ found: set(300) }), false)
})
