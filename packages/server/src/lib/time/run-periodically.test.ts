import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPeriodically } from './run-periodically.ts'

test('an error does not stop the loop, and consecutive errors are reported once', async () => {
  const ending = new AbortController()
  const outcomes = ['success', 'first', 'second', 'success', 'third', 'fourth', 'success']
  const reported: unknown[] = []
  await runPeriodically(
    0,
    ending.signal,
    async () => {
      const outcome = outcomes.shift()
      if (outcome === undefined) ending.abort()
      else if (outcome !== 'success') throw outcome
    },
    (error) => reported.push(error),
  )
  assert.deepEqual(reported, ['first', 'third'])
})
