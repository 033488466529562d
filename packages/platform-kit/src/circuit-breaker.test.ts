import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as macrotask } from 'node:timers/promises'
import { createCircuitBreaker } from './circuit-breaker.ts'

/** Counts the calls of `acquire` that have a permit. */
function acquireMany(breaker: ReturnType<typeof createCircuitBreaker>, calls: number) {
  const acquired: boolean[] = []
  for (let call = 0; call < calls; call += 1) {
    void breaker.acquire(null).then((isAcquired) => acquired.push(isAcquired))
  }
  return async () => {
    await macrotask()
    return acquired.length
  }
}

test('the circuit is closed, open, half-open and closed again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const breaker = createCircuitBreaker(2)
  const acquired = acquireMany(breaker, 10)
  assert.equal(await acquired(), 2, 'closed: two requests at once')
  const delays: number[] = []
  const delayAfter = (failures: number) => delays.push(failures) * 1000
  breaker.failure(delayAfter)
  breaker.failure(delayAfter)
  assert.deepEqual(delays, [1], 'requests that fail together count as one failure')
  assert.equal(await acquired(), 2, 'open: no request')
  t.mock.timers.tick(1000)
  assert.equal(await acquired(), 3, 'half-open: one request')
  breaker.failure(delayAfter)
  assert.deepEqual(delays, [1, 2])
  t.mock.timers.tick(1999)
  assert.equal(await acquired(), 3, 'open again, for a longer delay')
  t.mock.timers.tick(1)
  assert.equal(await acquired(), 4)
  breaker.success()
  assert.equal(await acquired(), 6, 'closed: two requests at once')
  breaker.stop()
  assert.equal(await acquired(), 10, 'stop() ends all waiting')
})

test('a success while the circuit is open closes it only after the delay', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const breaker = createCircuitBreaker(2)
  const acquired = acquireMany(breaker, 10)
  assert.equal(await acquired(), 2)
  breaker.failure(() => 1000)
  breaker.success()
  assert.equal(await acquired(), 2)
  t.mock.timers.tick(1000)
  assert.equal(await acquired(), 4)
  breaker.stop()
})
