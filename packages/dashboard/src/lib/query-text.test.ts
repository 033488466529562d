import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryText } from './query-text.ts'

test('the query contains only parameters that the hub knows, without empty ones', () => {
  const state = { tab: 'log', q: 'a & b', level: '', platform: 'school' }
  assert.equal(queryText(state, ['platform', 'level', 'q']), 'platform=school&q=a+%26+b')
})

test('an added parameter replaces the one of the page', () => {
  assert.equal(queryText({ limit: '5' }, ['limit'], { limit: 50 }), 'limit=50')
})
