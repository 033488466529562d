import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferPool } from './json-chunk.ts'

test('a returned buffer is reused, and detached from its previous owner', () => {
  const pool = new BufferPool(16, 1)
  const first = pool.take(10)
  first.set([1, 2, 3])
  const view = first.subarray(0, 3)
  pool.release(view)
  assert.deepEqual([first.length, view.length], [0, 0])
  const second = pool.take(16)
  assert.deepEqual([...second.subarray(0, 3)], [1, 2, 3])
})

test('a buffer that is returned twice is pooled once', () => {
  const pool = new BufferPool(16, 9)
  const first = pool.take(1)
  pool.release(first)
  pool.release(first)
  const second = pool.take(1)
  const third = pool.take(1)
  second[0] = 7
  assert.equal(third[0], 0)
})

test('buffers over the size limit or the pool limit are not pooled', () => {
  const pool = new BufferPool(16, 1)
  const large = pool.take(17)
  pool.release(large)
  assert.equal(large.length, 17)
  const [first, second] = [pool.take(1), pool.take(1)]
  pool.release(first)
  pool.release(second)
  assert.deepEqual([first.length, second.length], [0, 16])
})
