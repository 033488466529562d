import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batcher } from './batcher.ts'

/** A batcher of numbers that records its batches, and returns each number. */
function startBatcher(maxBatch = 100) {
  const batches: number[][] = []
  const batcher = new Batcher<number, number>({
    async handle(items) {
      batches.push(items)
      return items.map((value) => (value < 0 ? { error: new Error('negative') } : { value }))
    },
    maxBatch,
  })
  return { batcher, batches }
}

test('items of successive turns of the event loop share a batch', async () => {
  const { batcher, batches } = startBatcher()
  const results: Promise<number>[] = []
  const addInLaterTurns = (item: number) => {
    results.push(batcher.add(item))
    if (item < 3) setImmediate(addInLaterTurns, item + 1)
  }
  setImmediate(addInLaterTurns, 2)
  assert.equal(await batcher.add(1), 1)
  assert.deepEqual(batches, [[1, 2, 3]])
  assert.deepEqual(await Promise.all(results), [2, 3])
})

test('a batch is not larger than its maximum, and items keep their order', async () => {
  const { batcher, batches } = startBatcher(2)
  const items = [1, 2, 3, 4, 5]
  assert.deepEqual(await Promise.all(items.map((item) => batcher.add(item))), items)
  assert.deepEqual(batches, [[1, 2], [3, 4], [5]])
})

test('an item that fails does not affect the others of its batch', async () => {
  const { batcher } = startBatcher()
  const [first, second] = await Promise.allSettled([batcher.add(-1), batcher.add(1)])
  assert.equal(first.status, 'rejected')
  assert.deepEqual(second, { status: 'fulfilled', value: 1 })
})

test('a failed batch fails the items that wait if the next batch would fail too', async () => {
  for (const failsWaiting of [true, false]) {
    const ended = Promise.withResolvers<void>()
    const batches: number[][] = []
    const batcher = new Batcher<number, number>({
      async handle(items) {
        batches.push(items)
        if (batches.length > 1) return items.map((value) => ({ value }))
        await ended.promise
        throw new Error('unavailable')
      },
      maxBatch: 1,
      failsWaiting: () => failsWaiting,
    })
    const results = [1, 2, 3].map((item) => batcher.add(item))
    ended.resolve()
    const settled = await Promise.allSettled(results)
    const failed = failsWaiting ? 3 : 1
    assert.equal(settled.filter(({ status }) => status === 'rejected').length, failed)
    assert.equal(await batcher.add(4), 4)
  }
})
