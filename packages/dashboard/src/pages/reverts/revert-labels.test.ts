import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldLabel, revertTitle, scopeLabel } from './revert-labels.ts'

test('a scope is named as the object of a sentence', () => {
  assert.equal(scopeLabel({ pull_id: 46_702 }), 'pull 46,702')
  assert.equal(scopeLabel({ pull_id: 7, record_type: 'makers' }), 'makers of pull 7')
  assert.equal(scopeLabel({ record_id: 3, version: 12 }), 'record 3 to version 12')
  assert.equal(scopeLabel({ revert_id: 4 }), 'revert 4')
  assert.match(
    scopeLabel(
      { platform: 'museum', from: '2026-11-24T02:00:00Z', to: '2026-11-24T03:00:00Z' },
      () => 'Glasswork Museum',
    ),
    /^pushes of Glasswork Museum from Nov 2\d, 2026 \d\d:00 [AP]M to Nov 2\d, 2026 \d\d:00 [AP]M$/,
  )
})

test('the title of a revert says its result once it has one', () => {
  const counts = { reverted: 1, kept: 2, impossible: 3, held_now: 4, lifted: 5 }
  const titleOf = (state: Parameters<typeof revertTitle>[0]['state']) =>
    revertTitle({ state, counts }, 'pull 7')
  assert.equal(titleOf('planned'), 'Revert pull 7')
  assert.equal(titleOf('running'), 'Reverting pull 7')
  assert.equal(titleOf('succeeded'), '1 record is reverted')
  assert.equal(titleOf('cancelled'), 'The revert was cancelled after 1 record')
})

test('a held path is named by its keys', () => {
  assert.equal(heldLabel('/data/salary/net'), 'salary › net')
  assert.equal(heldLabel('/data/a~1b~0c'), 'a/b~c')
  assert.equal(heldLabel('/full_name'), 'Name')
  assert.equal(heldLabel('/missing_since'), 'Missing')
  assert.equal(heldLabel(''), 'The record itself')
})
