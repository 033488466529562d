import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPendingUrlInput } from './use-url-text.ts'

test('a URL update that arrives late or skips others is recognised as typed text', () => {
  const pending = createPendingUrlInput()
  for (const text of ['p', 'per', 'person']) pending.add(text, '')
  assert.equal(pending.isPending('p'), true)
  assert.equal(pending.isPending('person'), true)
  assert.equal(pending.isPending('per'), false, 'no update follows a later one')
})

test('a URL change from elsewhere is not mistaken for typed text', () => {
  const pending = createPendingUrlInput()
  pending.add('', '')
  assert.equal(pending.isPending(''), false, 'nothing was typed')
  pending.add('ann', '')
  assert.equal(pending.isPending('bob'), false)
  assert.equal(pending.isPending('ann'), false, 'the user has navigated away since')
})
