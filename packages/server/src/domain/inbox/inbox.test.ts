import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alert, AlertKind, ApiToken, RejectedPushGroup } from '@recordhub/protocol'
import { findFaults, type InboxFacts, toItems } from './inbox.ts'

const NOW = '2026-11-25T12:00:00.000Z'
const EARLIER = '2026-11-25T08:00:00.000Z'
const SCHOOL = {
  ...{ platform_id: 1, platform_name: 'school', display_title: 'School', created_at: EARLIER },
}
const PULLS_FAILING = {
  id: 1,
  health: {
    state: 'failing' as const,
    reasons: [{ code: 'pulls_failing' as const, message: 'HTTP 503', since: EARLIER }],
  },
}
const GROUP: RejectedPushGroup = {
  ...{ platform_name: 'school', record_type: 'case', code: 'invalid_record', message: 'No name.' },
  ...{ cause: 'c1', rejected_pushes: 12, pulled: 0, count: 14 },
  ...{ first_at: EARLIER, last_at: EARLIER },
  ...{ digest: null, accepted_at: null, accepted_by: null },
}

function factsOf(part: Partial<InboxFacts>): InboxFacts {
  return {
    ...{ now: NOW, platforms: [SCHOOL], health: [], alerts: [], reviews: [], groups: [] },
    ...{ pushErrors: [], pushSources: [], drift: [], disagreements: [], tokens: [] },
    newestBackup: NOW,
    ...part,
  }
}

function alertOf(kind: AlertKind, part: Partial<Alert> = {}): Alert {
  return {
    ...{ id: 7, kind, platform_name: 'school', missing_review_id: null, message: 'It fails.' },
    ...{ advice: 'Repair it.', raised_at: EARLIER, resolved_at: null, acknowledged_at: null },
    ...{ acknowledged_by: null, mailed_at: null },
    ...part,
  }
}

const keysOf = (part: Partial<InboxFacts>) => findFaults(factsOf(part)).map(({ key }) => key)

test('a fault and the alert about it are one item', () => {
  for (const kind of ['platform_failing', 'module_failing'] as const) {
    const faults = findFaults(factsOf({ health: [PULLS_FAILING], alerts: [alertOf(kind)] }))
    assert.deepEqual(
      faults.map(({ key, alert_id }) => [key, alert_id]),
      [['pulls_failing 1', 7]],
    )
  }
  assert.deepEqual(keysOf({ groups: [GROUP], alerts: [alertOf('rejected_rising')] }), [
    'rejected school c1',
  ])
  const review = {
    ...{ id: 3, platform_name: 'school', module_name: 'Cases', record_type: 'case' },
    ...{ state: 'pending' as const, missing: 321, records: 801, pull_id: 1, at: EARLIER },
    ...{ decided_at: null, decided_by: null, closed_at: null },
  }
  const alerts = [alertOf('missing_review', { missing_review_id: 3 })]
  const [fault, ...others] = findFaults(factsOf({ reviews: [review], alerts }))
  assert.equal(fault?.title, '321 records of Cases are missing from the last complete pull')
  // The others need not be listed: they may have been pushed during the pull.
  assert.match(fault.reason, /^A pull did not list 321 of 801\./)
  assert.deepEqual([fault?.key, others], ['missing_review 3', []])
})

test('an alert about another platform or fault is an item of its own', () => {
  const other = alertOf('platform_failing', { platform_name: 'museum' })
  assert.deepEqual(keysOf({ health: [PULLS_FAILING], alerts: [other] }), [
    'pulls_failing 1',
    'alert 7',
  ])
  assert.deepEqual(keysOf({ groups: [GROUP], alerts: [alertOf('platform_silent')] }), [
    'rejected school c1',
    'alert 7',
  ])
})

test('an accepted group is no item, and a backup counts until it is a week old', () => {
  assert.deepEqual(keysOf({ groups: [{ ...GROUP, accepted_at: NOW, accepted_by: 'ann' }] }), [])
  assert.deepEqual(keysOf({ newestBackup: '2026-11-18T12:00:00.001Z' }), [])
  const [old] = findFaults(factsOf({ newestBackup: '2026-11-18T12:00:00.000Z' }))
  assert.equal(old?.title, 'No backup for 7 days')
  const [none] = findFaults(factsOf({ newestBackup: null }))
  assert.deepEqual([none?.key, none?.since], ['no_backup', EARLIER])
  assert.deepEqual(keysOf({ newestBackup: null, platforms: [] }), [])
})

test('an acknowledgement ends when the fault changes, and a snooze with its time', () => {
  const mark = { key: 'rejected school c1', by: 'ann', at: NOW }
  const asideOf = (last_at: string, occurrence: string, until: string | null) => {
    const faults = findFaults(factsOf({ groups: [{ ...GROUP, last_at }] }))
    return toItems(faults, [{ ...mark, occurrence, until }], NOW)[0]?.put_aside?.as ?? null
  }
  assert.equal(asideOf(EARLIER, EARLIER, null), 'acknowledged')
  assert.equal(asideOf(NOW, EARLIER, null), null)
  assert.equal(asideOf(NOW, EARLIER, '2026-11-25T12:00:00.001Z'), 'snoozed')
  assert.equal(asideOf(EARLIER, EARLIER, NOW), null)
})

test('an item of an acknowledged alert is put aside, and such items are the last ones', () => {
  const acknowledged = { acknowledged_at: NOW, acknowledged_by: 'ann' }
  const faults = findFaults(
    factsOf({
      health: [PULLS_FAILING],
      groups: [GROUP],
      alerts: [alertOf('platform_failing', acknowledged)],
    }),
  )
  assert.deepEqual(
    toItems(faults, [], NOW).map(({ key, put_aside }) => [key, put_aside?.by ?? null]),
    [
      ['rejected school c1', null],
      ['pulls_failing 1', 'ann'],
    ],
  )
  const openedAt = (at: string) => {
    const mark = { key: 'pulls_failing 1', occurrence: '', until: at, by: 'bob', at }
    const items = toItems(faults, [mark], '2026-11-25T13:00:00.000Z')
    return items.find(({ key }) => key === mark.key)?.put_aside?.by ?? null
  }
  assert.equal(openedAt('2026-11-25T12:30:00.000Z'), null)
  assert.equal(openedAt(EARLIER), 'ann', 'it was acknowledged later')
})

test('the order of items does not depend on the order of the platforms', () => {
  const platforms = [1, 2, 3].map((platform_id) => ({ ...SCHOOL, platform_id }))
  const health = [1, 2, 3].map((id) => ({ ...PULLS_FAILING, id }))
  for (const given of [health, health.toReversed()]) {
    const items = toItems(findFaults(factsOf({ platforms, health: given })), [], NOW)
    assert.deepEqual(
      items.map(({ key }) => key),
      ['pulls_failing 1', 'pulls_failing 2', 'pulls_failing 3'],
    )
  }
})

test('the title of a group says what was rejected, and why', () => {
  const titleOf = (part: Partial<RejectedPushGroup>) =>
    findFaults(factsOf({ groups: [{ ...GROUP, ...part }] }))[0]?.title
  const unknown = { code: 'module_not_registered', record_type: 'loans' }
  assert.equal(titleOf(unknown), '12 pushes rejected: the module "loans" was not registered')
  assert.equal(titleOf({}), '12 pushes of case rejected: invalid content')
  assert.equal(
    titleOf({ rejected_pushes: 1, record_type: null, code: 'new_code' }),
    '1 push rejected',
  )
  const pulled = { code: 'duplicate_reference', rejected_pushes: 1, pulled: 1 }
  assert.equal(titleOf(pulled), '1 pulled record of case rejected: duplicate reference number')
  assert.equal(
    titleOf({ pulled: 11, code: 'drift_rejected' }),
    '1 push and 11 pulled records of case rejected: not as the manifest describes',
  )
})

test('the title of a key or certificate says when it expires, and a new message is the same fault', () => {
  const titles = (['key_expiring', 'certificate_expiring'] as const).flatMap((code) =>
    ['2026-11-28T12:00', '2026-11-26T13:00', '2026-11-25T12:30', NOW.slice(0, 16)].map((until) => {
      const reason = { code, message: until, since: EARLIER, expires_at: `${until}:00.000Z` }
      const health = { state: 'needs_attention' as const, reasons: [reason] }
      const [fault] = findFaults(factsOf({ health: [{ id: 1, health }] }))
      assert.deepEqual([fault?.since, fault?.occurrence], [EARLIER, reason.expires_at])
      return fault?.title
    }),
  )
  assert.deepEqual(titles, [
    'A hub API key expires in 3 days',
    'A hub API key expires in 25 hours',
    'A hub API key expires within an hour',
    'A hub API key has expired',
    'A certificate expires in 3 days',
    'A certificate expires in 25 hours',
    'A certificate expires within an hour',
    'A certificate has expired',
  ])
})

test('a token is an item from 7 days before it expires, and afterwards if it was used within 7 days', () => {
  const TOKEN: ApiToken = {
    ...{ id: 4, name: 'export', role: 'viewer', scope: null, hint: 'rht_…', created_by: 'ann' },
    ...{ created_at: '2026-11-19T12:00:00.000Z', last_used_at: null, expires_at: null },
  }
  const used = { last_used_at: EARLIER, expires_at: '2026-12-02T12:00:00.000Z' }
  const replacement = { ...TOKEN, id: 5, created_at: EARLIER }
  const rows: [string, Partial<ApiToken>, ApiToken[], string?][] = [
    ['it does not expire', {}, []],
    ['it expires in 7 days', used, [], 'expires in 7 days'],
    ['it expires later', { ...used, expires_at: '2026-12-02T12:00:00.001Z' }, []],
    ['it is unused', { ...used, last_used_at: null }, [], 'expires in 7 days'],
    ['it has expired', { ...used, expires_at: NOW }, [], 'has expired'],
    ['nobody used it', { last_used_at: null, expires_at: NOW }, []],
    ['it was used before', { last_used_at: '2026-11-18T12:00:00.000Z', expires_at: NOW }, []],
    ['it was replaced', used, [replacement]],
    [
      'it is used although it was replaced',
      { ...used, last_used_at: NOW },
      [replacement],
      'expires in 7 days',
    ],
    [
      'another operator has its name',
      used,
      [{ ...replacement, created_by: 'bob' }],
      'expires in 7 days',
    ],
    ['its rights are others', used, [{ ...replacement, role: 'admin' }], 'expires in 7 days'],
  ]
  for (const [name, part, others, expiry] of rows) {
    const faults = findFaults(factsOf({ tokens: [...others, { ...TOKEN, ...part }] }))
    const expected = expiry === undefined ? [] : [`The API token "export" ${expiry}`]
    const titles = faults.map(({ title }) => title)
    assert.deepEqual(titles, expected, name)
  }
  const [fault] = findFaults(factsOf({ tokens: [{ ...TOKEN, ...used }] }))
  assert.deepEqual([fault?.since, fault?.occurrence], [NOW, used.expires_at])
  const [expired] = findFaults(factsOf({ tokens: [{ ...TOKEN, ...used, expires_at: NOW }] }))
  assert.equal(expired?.since, TOKEN.created_at, 'it was created less than 7 days before')
  assert.match(expired?.reason ?? '', /^Created by ann, last used at .*Since .*, the hub rejects/)
})

test('the push errors of a platform are counted together', () => {
  const sender = { platform_id: null, address: '192.0.2.1', request_id: 'r' }
  const error = { ...sender, reason: 'key_invalid' as const, requests: 2, last_at: NOW }
  const pushErrors = [
    { ...error, key_hint: 'rhk_abc…', hour: '2026-11-25T12' },
    { ...error, key_hint: 'rhk_xyz…', hour: '2026-11-25T11' },
    { ...error, key_hint: 'rhk_abc…', hour: '2026-11-25T10', last_at: EARLIER },
  ]
  const source = { platform_id: 1, platform_name: 'school', key_hints: ['rhk_abc…'], addresses: [] }
  const [item] = findFaults(factsOf({ pushErrors, pushSources: [source] }))
  assert.equal(item?.title, '4 requests rejected before they were stored')
  assert.deepEqual([item?.since, item?.last_at], ['2026-11-25T10:00:00.000Z', NOW])
})
