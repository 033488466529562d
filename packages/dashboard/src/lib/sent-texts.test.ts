import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSentTexts } from './sent-texts.ts'

test('a URL update that arrives late or skips others is recognised as typed text', () => {
  const sent = createSentTexts()
  for (const text of ['p', 'per', 'person']) sent.note(text, '')
  assert.equal(sent.isSent('p'), true)
  assert.equal(sent.isSent('person'), true)
  assert.equal(sent.isSent('per'), false, 'no update follows a later one')
})

test('a URL change from elsewhere is not mistaken for typed text', () => {
  const sent = createSentTexts()
  sent.note('', '')
  assert.equal(sent.isSent(''), false, 'nothing was typed')
  sent.note('ann', '')
  assert.equal(sent.isSent('bob'), false)
  assert.equal(sent.isSent('ann'), false, 'the user has navigated away since')
})
