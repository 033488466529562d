import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextBatchSize } from './batch-size.ts'

const rows = (count: number, characters: number) =>
  Array.from({ length: count }, () => ['x'.repeat(characters)])

test('batches are large for narrow rows, small for wide ones and never empty', () => {
  let size = nextBatchSize(null)
  for (let round = 0; round < 5; round += 1) size = nextBatchSize(rows(size, 10))
  assert.equal(size, 1000)
  assert.ok(nextBatchSize(rows(size, 10_000)) <= 50)
  assert.equal(nextBatchSize(rows(1, 10_000_000)), 1)
  assert.ok(nextBatchSize(rows(1, 1)) > 1)
})
