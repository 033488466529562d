import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RejectionReasons } from './rejection-reasons.ts'

function reasonsOf(...met: string[]): RejectionReasons {
  const reasons = new RejectionReasons()
  for (const reason of met) reasons.add(reason)
  return reasons
}

test('each reason is listed once with its count, in order of first occurrence', () => {
  assert.deepEqual(reasonsOf('It is b.', 'It is a.', 'It is b.').toMessages(3), [
    '2 rejected: It is b.',
    '1 rejected: It is a.',
  ])
  assert.deepEqual(reasonsOf().toMessages(0), [])
})

test('at most five reasons are listed, and the others are counted', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `It is ${index}.`)
  const words = reasonsOf(...many, 'It is 0.').toMessages(100)
  assert.equal(words.length, 7)
  assert.equal(words[0], '2 rejected: It is 0.')
  assert.deepEqual(words.slice(5), [
    '995 rejected for other reasons.',
    'Of the 1001 rejected the first 100 are kept.',
  ])
})
