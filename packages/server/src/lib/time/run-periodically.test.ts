import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPeriodically } from './run-periodically.ts'

test('an error does not stop the loop, and consecutive errors are reported once', async () => {
  const ending = new AbortController()
  const outcomes = ['well', 'first', 'second', 'well', 'third', 'fourth', 'well']
  const told: unknown[] = []
  await runPeriodically(
    0,
    ending.signal,
    async () => {
      const outcome = outcomes.shift()
      if (outcome === undefined) ending.abort()
      else if (outcome !== 'well') throw outcome
    },
    (error) => told.push(error),
  )
  assert.deepEqual(told, ['first', 'third'])
})
