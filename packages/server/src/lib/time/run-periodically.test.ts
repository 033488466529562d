import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepRunning, runPeriodically } from './run-periodically.ts'

/** An action that has the given outcomes, and then ends the loop. */
function actOut(outcomes: string[], ending: AbortController): () => Promise<void> {
  return async () => {
    const outcome = outcomes.shift()
    if (outcome === undefined) ending.abort()
    else if (outcome !== 'success') throw outcome
  }
}

test('a background loop continues after each error, until it is stopped', async () => {
  for (const isRestarted of [false, true]) {
    const ending = new AbortController()
    const { signal } = ending
    const reported: unknown[] = []
    const onError = (error: unknown) => void reported.push(error)
    const action = actOut(['success', 'first', 'second', 'success', 'third'], ending)
    if (isRestarted) await keepRunning(() => runPeriodically(0, signal, action), signal, onError, 0)
    else await runPeriodically(0, signal, action, onError)
    assert.deepEqual(reported, ['first', 'second', 'third'])
  }
})
