import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeUrlState } from '../../lib/url-state.ts'
import { changesForTab, tabOf } from './tabs.ts'

test('an unknown tab opens the log', () => {
  assert.deepEqual(
    [tabOf({}), tabOf({ tab: 'x' }), tabOf({ tab: 'alerts' })],
    ['log', 'log', 'alerts'],
  )
})

test('switching tabs resets all parameters except the platform filter', () => {
  const state = { tab: 'rejected', platform: 'school', code: 'x', cursor: '5' }
  const missing = changeUrlState(state, changesForTab(state, 'missing'))
  assert.deepEqual(missing, { platform: 'school', tab: 'missing' })
  assert.deepEqual(changeUrlState(state, changesForTab(state, 'log')), { platform: 'school' })
})
