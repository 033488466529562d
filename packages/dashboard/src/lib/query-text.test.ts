import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryText } from './query-text.ts'

test('only what the hub knows is asked for, and nothing that is empty', () => {
  const state = { tab: 'log', q: 'a & b', level: '', platform: 'school' }
  assert.equal(queryText(state, ['platform', 'level', 'q']), 'platform=school&q=a+%26+b')
})

test('what is added takes the place of what the page has', () => {
  assert.equal(queryText({ limit: '5' }, ['limit'], { limit: 50 }), 'limit=50')
})
