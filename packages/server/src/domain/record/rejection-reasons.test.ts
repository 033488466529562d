import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RejectionReasons } from './rejection-reasons.ts'

function addReasons(...all: string[]): RejectionReasons {
  const reasons = new RejectionReasons()
  for (const reason of all) reasons.add(reason)
  return reasons
}

test('each reason is listed once with its count, in order of first occurrence', () => {
  assert.deepEqual(addReasons('It is b.', 'It is a.', 'It is b.').toMessages(3), [
    '2 rejected: It is b.',
    '1 rejected: It is a.',
  ])
  assert.deepEqual(addReasons().toMessages(0), [])
})

test('at most five reasons are listed, and the others are counted', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `It is ${index}.`)
  const messages = addReasons(...many, 'It is 0.').toMessages(100)
  assert.equal(messages.length, 7)
  assert.equal(messages[0], '2 rejected: It is 0.')
  assert.deepEqual(messages.slice(5), [
    '995 rejected for other reasons.',
    'Only the first 100 of the 1001 rejected records are stored.',
  ])
})
