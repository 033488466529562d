import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnLimit } from './yield-to-event-loop.ts'

test('at most the given number of parts run in one turn of the event loop', async () => {
  const pause = createTurnLimit(2)
  let turn = 0
  let isOver = false
  const countTurns = () => {
    turn += 1
    if (!isOver) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const parts = new Map<number, number>()
  const work = async (count: number) => {
    for (let part = 0; part < count; part++) {
      await pause()
      parts.set(turn, (parts.get(turn) ?? 0) + 1)
    }
  }
  await Promise.all([work(5), work(4), work(1)])
  isOver = true
  assert.deepEqual([...parts.values()], [2, 2, 2, 2, 2])
})
