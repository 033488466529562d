import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addRejections,
  countRecentPushes,
  type HealthFacts,
  healthOf,
  type RecentRejection,
} from './health.ts'

const AT = '2026-11-21T07:30:00.000Z'
const NO_PUSHES = { pushes: 0, rejected: 0, first_rejected_at: null }
const NONE_OPEN = { count: 0, is_more: false, first_at: null }
const module = (over: Partial<HealthFacts['modules'][number]> = {}) => ({
  module_name: 'Cases',
  last_error: null,
  failing_since: null,
  is_incomplete: false,
  last_read_finished_at: AT,
  open_rejections: 0,
  ...over,
})
const HEALTHY: HealthFacts = {
  status: 'active',
  latest_sync_at: AT,
  last_push_at: AT,
  modules: [module()],
  registered_modules: 1,
  recent_pushes: NO_PUSHES,
  open_pushes: NONE_OPEN,
  missing_reviews: 0,
  silent: null,
  expiring_key: null,
  certificate: null,
  now: AT,
}
const failing = module({ last_error: 'HTTP 503', failing_since: AT })
const open = (count: number) => ({ count, is_more: false, first_at: AT })
const rejected = (count: number, pushes: number) => ({
  recent_pushes: { pushes, rejected: count, first_rejected_at: AT },
  open_pushes: open(count),
})

const CASES: [what: string, facts: Partial<HealthFacts>, state: string, ...messages: RegExp[]][] = [
  ['nothing is wrong', {}, 'healthy'],
  [
    'it is inactive, whatever else',
    { status: 'inactive', modules: [failing] },
    'inactive',
    /not pulled/,
  ],
  [
    'it has sent nothing',
    { latest_sync_at: null, last_push_at: null },
    'new',
    /^No push was accepted/,
  ],
  [
    'the only pull failed',
    { latest_sync_at: null, last_push_at: null, modules: [failing] },
    'failing',
    /^The last pull failed: HTTP 503$/,
  ],
  [
    'one of two modules failed',
    { modules: [failing], registered_modules: 2 },
    'failing',
    /^The last pull of Cases failed/,
  ],
  [
    '12 of 12 pushes were rejected',
    rejected(12, 12),
    'failing',
    /^12 of the last 12 pushes/,
    /^12 rejected pushes are neither/,
  ],
  ['10 of 20', rejected(10, 20), 'failing', /^10 of the last 20/, /./],
  ['9 of 20', rejected(9, 20), 'needs_attention', /^9 rejected pushes/],
  ['the first two', rejected(2, 2), 'needs_attention', /^2 rejected pushes/],
  ['12 of 12, all replayed since', { ...rejected(12, 12), open_pushes: NONE_OPEN }, 'healthy'],
  [
    'one record is rejected',
    { modules: [module({ open_rejections: 1 })] },
    'needs_attention',
    /^One rejected record is neither/,
  ],
  [
    'both',
    { modules: [module({ open_rejections: 4 })], open_pushes: { ...open(1000), is_more: true } },
    'needs_attention',
    /^More than 1000 rejected pushes and 4 rejected records are/,
  ],
  [
    'four modules are incomplete',
    {
      modules: ['A', 'B', 'C', 'D'].map((module_name) =>
        module({ module_name, is_incomplete: true }),
      ),
    },
    'needs_attention',
    /of A, B, C and 1 more\.$/,
  ],
  [
    'three modules are incomplete',
    {
      modules: ['A', 'B', 'C'].map((module_name) => module({ module_name, is_incomplete: true })),
    },
    'needs_attention',
    /of A, B and C\.$/,
  ],
  ['a review is open', { missing_reviews: 1 }, 'needs_attention', /of one module/],
  [
    'it is silent',
    { silent: { message: 'Silent.', raised_at: AT } },
    'needs_attention',
    /^Silent\.$/,
  ],
  [
    'it uses an old key',
    { expiring_key: { hint: 'rhk_…1', expires_at: AT, replaced_at: AT } },
    'needs_attention',
    /replaced hub API key rhk_…1/,
  ],
  [
    'its certificate expires in 14 days',
    { certificate: { expires_at: '2026-12-05T07:30:00.000Z', read_at: AT } },
    'needs_attention',
    /^The certificate .*, read at 2026-11-21T07:30:00.000Z, expires at 2026-12-05T07:30:00.000Z\./,
  ],
  [
    'its certificate is valid for longer',
    { certificate: { expires_at: '2026-12-05T07:30:01.000Z', read_at: AT } },
    'healthy',
  ],
]
for (const [what, facts, state, ...messages] of CASES) {
  test(`a platform is ${state} if ${what}`, () => {
    const health = healthOf({ ...HEALTHY, ...facts })
    assert.equal(health.state, state)
    assert.equal(health.reasons.length, messages.length, JSON.stringify(health.reasons))
    for (const [index, message] of messages.entries()) {
      assert.match(health.reasons[index]?.message ?? '', message)
    }
  })
}

test('a key expires since it was replaced, and a certificate for the last 14 days of its time', () => {
  const { reasons } = healthOf({
    ...HEALTHY,
    expiring_key: { hint: 'rhk_…1', expires_at: '2026-11-28T00:00:00.000Z', replaced_at: AT },
    certificate: { expires_at: '2026-11-23T07:30:00.000Z', read_at: AT },
  })
  assert.deepEqual(
    reasons.map(({ since, expires_at }) => [since, expires_at]),
    [
      [AT, '2026-11-28T00:00:00.000Z'],
      ['2026-11-09T07:30:00.000Z', '2026-11-23T07:30:00.000Z'],
    ],
  )
})

test('the rejected ones of the last 20 pushes are counted from totals, as by a list of all pushes', () => {
  const outcomes = 'rrarraaaaarrrrarrrrrrrrrrrrraaaaaaaaaarraaaaaaaaaaaaaaaaaaar'
  let accepted = 0
  let known: readonly RecentRejection[] = []
  for (let length = 1; length <= outcomes.length; length += 1) {
    const rejectedNow = outcomes[length - 1] === 'r'
    if (!rejectedNow) accepted += 1
    else known = addRejections(known, { count: 1, accepted, at: String(length) })
    const last = outcomes.slice(Math.max(0, length - 20), length)
    const { rejected, first_rejected_at } = countRecentPushes(known, accepted)
    assert.equal(rejected, last.replaceAll('a', '').length, outcomes.slice(0, length))
    const first = length - last.length + last.indexOf('r') + 1
    assert.equal(first_rejected_at, last.includes('r') ? String(first) : null)
  }
  assert.equal(countRecentPushes(known, accepted).pushes, 20)
  assert.equal(countRecentPushes([], 3).pushes, 3)
  const many = addRejections([], { count: 100, accepted: 0, at: AT })
  assert.deepEqual(countRecentPushes(many, 0), { pushes: 20, rejected: 20, first_rejected_at: AT })
})
