import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSentTexts } from './sent-texts.ts'

test('an address that comes late, or passes over some, is known for what was sent', () => {
  const sent = createSentTexts()
  for (const text of ['p', 'per', 'person']) sent.note(text, '')
  assert.equal(sent.isSent('p'), true)
  assert.equal(sent.isSent('person'), true)
  assert.equal(sent.isSent('per'), false, 'what came before it comes no more')
})

test('what changes the address otherwise is nothing that was sent', () => {
  const sent = createSentTexts()
  sent.note('', '')
  assert.equal(sent.isSent(''), false, 'nothing was to change')
  sent.note('ann', '')
  assert.equal(sent.isSent('bob'), false)
  assert.equal(sent.isSent('ann'), false, 'somebody has gone elsewhere since')
})
