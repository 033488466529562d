import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  heldLabel,
  holdsByPath,
  isPartial,
  pathLabel,
  revertTitle,
  scopeLabel,
  stateLabel,
  whyLabel,
} from './revert-labels.ts'

test('a scope is named as the object of a sentence', () => {
  assert.equal(scopeLabel({ pull_id: 46_702 }), 'pull 46,702')
  assert.equal(scopeLabel({ pull_id: 7, record_type: 'makers' }), 'makers in pull 7')
  const module = { pull_id: 7, platform: 'museum', record_type: 'makers' }
  const titles = { ofPlatform: () => 'Glasswork Museum', ofModule: () => 'Makers' }
  assert.equal(scopeLabel(module, titles), 'Makers of Glasswork Museum in pull 7')
  assert.equal(scopeLabel({ record_id: 3, version: 12 }), 'record 3 to version 12')
  assert.equal(scopeLabel({ record_id: 3, version: 0 }), 'record 3 as received')
  assert.equal(scopeLabel({ revert_id: 4 }), 'revert 4')
  assert.match(
    scopeLabel(
      { platform: 'museum', from: '2026-11-24T02:00:00Z', to: '2026-11-24T03:00:00Z' },
      titles,
    ),
    /^pushes of Glasswork Museum from Nov 2\d, 2026 \d\d:00 [AP]M to Nov 2\d, 2026 \d\d:00 [AP]M$/,
  )
})

test('the title of a revert says its result once it has one', () => {
  const counts = { reverted: 1, kept: 2, impossible: 3, held_now: 4, lifted: 5 }
  const progress = { records_total: 9, records_done: 5, percent: 55 }
  const titleOf = (state: Parameters<typeof revertTitle>[0]['state']) =>
    revertTitle({ state, counts, progress, started_at: '2026-11-21T07:30:00.000Z' }, 'pull 7')
  assert.equal(titleOf('planned'), 'Revert pull 7')
  assert.equal(titleOf('running'), 'Reverting pull 7')
  assert.equal(titleOf('succeeded'), '1 record was reverted')
  assert.equal(titleOf('cancelled'), 'The revert was cancelled after 5 records')
  const plan = { state: 'cancelled', counts, progress, started_at: null } as const
  assert.equal(revertTitle(plan, 'pull 7'), 'The plan was cancelled')
  assert.equal(stateLabel(plan), 'Nothing was changed.')
  assert.match(stateLabel({ ...plan, started_at: '2026-11-21T07:30:00.000Z' }), /stay reverted/)
  assert.equal(stateLabel({ ...plan, state: 'running' }), '5 of 9 records done.')
})

test('a pull is reverted in part if a part of it was asked for or done', () => {
  const counts = { reverted: 1, kept: 0, impossible: 0, held_now: 0, lifted: 0 }
  const whole = { scope: { pull_id: 7 }, state: 'succeeded' as const, counts }
  assert.equal(isPartial(whole), false)
  assert.equal(isPartial({ ...whole, scope: { pull_id: 7, platform: 'museum' } }), true)
  assert.equal(isPartial({ ...whole, state: 'cancelled' }), true)
  assert.equal(isPartial({ ...whole, counts: { ...counts, kept: 1 } }), true)
  assert.equal(isPartial({ ...whole, counts: { ...counts, impossible: 1 } }), true)
})

test('each hold of a row is lifted by its path', () => {
  const one = { path: '/data/a', label: 'a' }
  const paths = ['/data/a']
  assert.deepEqual(holdsByPath({ holds: 'values', paths }), [one])
  assert.deepEqual(holdsByPath({ holds: 'existence', paths: [] }), [
    { path: '', label: 'Its creation' },
  ])
  assert.deepEqual(holdsByPath({ holds: 'absence', paths: [] }), [
    { path: '/missing_since', label: 'The mark as missing' },
  ])
  assert.deepEqual(holdsByPath({ holds: 'existence', paths }), [
    { path: '', label: 'Its creation' },
    one,
  ])
})

test('a path is named by its keys', () => {
  assert.equal(pathLabel('/data/salary/net'), 'salary › net')
  assert.equal(pathLabel('/data/a~1b~0c'), 'a/b~c')
  assert.equal(pathLabel('/full_name'), 'Name')
  assert.equal(pathLabel('/missing_since'), 'Missing')
  assert.equal(pathLabel('/incomplete'), 'Incomplete')
})

test('a hold says what is refused, and a record why it is not reverted', () => {
  assert.equal(heldLabel({ holds: 'values', paths: ['/full_name', '/data/b'] }), 'Name, b')
  assert.equal(heldLabel({ holds: 'existence', paths: [] }), 'Its creation')
  const kept = { path: '/data/phone', at: null, request_id: null, revert_id: null }
  const why = (source: string | null, pull_id: number | null) =>
    whyLabel({ kept: { ...kept, source, pull_id }, reason: null })
  assert.equal(why('POST', null), 'phone has another value, by POST')
  assert.equal(why('pull', 9), 'phone has another value, by pull 9')
  assert.equal(why(null, null), 'phone has another value')
  assert.equal(whyLabel({ kept: null, reason: 'anonymised' }), 'The record was anonymised')
})
