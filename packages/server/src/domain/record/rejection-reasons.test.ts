import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeReasons, summarizeRejections } from './rejection-reasons.ts'

test('each reason is listed with its count', () => {
  const reasons: [string, number][] = [
    ['It is b.', 2],
    ['It is a.', 1],
  ]
  assert.deepEqual(describeReasons({ reasons, others: 0 }, 3), [
    '2 rejected: It is b.',
    '1 rejected: It is a.',
  ])
  assert.deepEqual(describeReasons({ reasons: [], others: 0 }, 0), [])
})

test('at most five reasons are listed, and the others are counted', () => {
  const reasons = Array.from({ length: 100 }, (_, index): [string, number] => [
    `It is ${index}.`,
    2,
  ])
  const messages = describeReasons({ reasons, others: 801 }, 100)
  assert.equal(messages.length, 7)
  assert.equal(messages[0], '2 rejected: It is 0.')
  assert.deepEqual(messages.slice(5), [
    '991 rejected for other reasons.',
    'Only the first 100 of the 1001 rejected records are stored.',
  ])
})

test('a summary names the most frequent reason', () => {
  const reasons: [string, number][] = [
    ['It is b.', 2],
    ['It is a.', 1200],
  ]
  assert.equal(
    summarizeRejections({ reasons, others: 3 }, 5000),
    '1,205 of 5,000 records rejected, 1,200 of them: It is a.',
  )
  assert.equal(
    summarizeRejections({ reasons: [['It is b.', 2]], others: 0 }, 3),
    '2 of 3 records rejected: It is b.',
  )
  assert.equal(summarizeRejections({ reasons: [], others: 0 }, 3), null)
})
