import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toQueryString } from './query-string.ts'

test('the query contains only the named parameters, without empty ones', () => {
  const state = { tab: 'log', q: 'a & b', level: '', platform: 'school' }
  assert.equal(toQueryString(state, ['platform', 'level', 'q']), 'platform=school&q=a+%26+b')
})

test('an added parameter replaces the one of the page', () => {
  assert.equal(toQueryString({ limit: '5' }, ['limit'], { limit: 50 }), 'limit=50')
})
