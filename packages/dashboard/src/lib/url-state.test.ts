import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickState, writeUrlState } from './url-state.ts'

test('the query contains only the named parameters, without empty ones', () => {
  const state = { tab: 'log', platform: 'school', level: '', q: 'a & b' }
  const query = pickState(state, ['platform', 'level', 'q'])
  assert.equal(writeUrlState(query), '?platform=school&q=a+%26+b')
})
