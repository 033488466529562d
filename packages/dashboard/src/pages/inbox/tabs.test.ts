import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeUrlState } from '../../lib/url-state.ts'
import { changesForTab, formerActivity, tabOf } from './tabs.ts'

test('an unknown tab opens the first one', () => {
  assert.deepEqual(
    [tabOf({}), tabOf({ tab: 'x' }), tabOf({ tab: 'missing' })],
    ['alerts', 'alerts', 'missing'],
  )
})

test('switching tabs resets all parameters except the platform filter', () => {
  const state = { tab: 'rejected', platform: 'school', code: 'x', cursor: '5' }
  const missing = changeUrlState(state, changesForTab(state, 'missing'))
  assert.deepEqual(missing, { platform: 'school', tab: 'missing' })
  const alerts = changeUrlState(state, changesForTab(state, 'alerts'))
  assert.deepEqual(alerts, { platform: 'school', tab: 'alerts' })
})

test('a link to the former page leads to the log or to the tab in the inbox', () => {
  const { to, search } = formerActivity({ tab: 'rejected', platform: 'school' })
  assert.deepEqual([to, search], ['/dashboard/inbox', { tab: 'rejected', platform: 'school' }])
  assert.equal(formerActivity({ entry: '5' }).to, '/dashboard/log')
  assert.deepEqual(formerActivity({ tab: 'alerts' }).search, { tab: 'alerts' })
})
